// The page: what is asked, and who is asked anew when something changes.

const $ = (id) => document.getElementById(id);
const PRESETS = [...document.querySelectorAll("script[data-preset]")].map((script) => ({
  ...JSON.parse(script.dataset.preset),
  text: script.textContent.trimStart(),
}));

/** The scenario's text, both algorithms and what the controls changed. */
let state;
let sides;
let algorithms;
const planner = new Engine();

function question(side) {
  const set = [`duration=${state.duration} s`, `seed=${state.seed}`];
  for (const [link, keys] of Object.entries(state.set)) {
    for (const [key, value] of Object.entries(keys)) set.push(`links."${link}".${key}=${value}`);
  }
  return { text: state.text, set, cc: [state.flow ? `${state.flow}=${state.cc[side]}` : state.cc[side]] };
}

function command(side) {
  const quoted = (word) => (/^[\w.=\/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
  const { set, cc } = question(side);
  return ["anabranch run scenario.toml", ...cc.map((word) => `--cc ${quoted(word)}`),
    ...set.map((word) => `--set ${quoted(word)}`)].join(" ");
}

function show(problems) {
  $("problems").hidden = !problems;
  $("problems").replaceChildren(...(problems ?? []).map(({ message, line, text, help }) => {
    const p = document.createElement("p");
    p.textContent = [line && `Line ${line}: `, message, text && ` (${text})`, help && `. ${help}.`].filter(Boolean).join("");
    return p;
  }));
}

/** Takes a scenario's text: its links and flows get controls. */
async function open(next) {
  state = { set: {}, cc: ["lia", "uncoupled"], seed: 1, ...next };
  $("text").value = state.text;
  let scene;
  try {
    scene = (await planner.ask("describe", { text: state.text })).value;
  } catch (problems) {
    return show(problems);
  }
  state.duration ??= Math.min(120, Math.max(5, scene.duration_s));
  state.flow = scene.flows.some((flow) => flow.multipath) ? null : scene.flows[0]?.name ?? null;
  const changed = await planner.ask("describe", question(0)).catch(() => ({ value: scene }));
  controls($("links"), changed.value, (link, key, value) => {
    (state.set[link] ??= {})[key] = value;
    start();
  });
  for (const side of [0, 1]) $(`cc-${side}`).value = state.cc[side];
  $("duration").value = state.duration;
  $("duration").nextElementSibling.textContent = `${state.duration} s`;
  $("seed").value = state.seed;
  $("about").textContent = state.about ?? scene.description ?? "";
  for (const button of $("presets").children) button.setAttribute("aria-pressed", button.dataset.id === state.id);
  await start();
}

let frame = null;
let turn = 0;

/** Computes both sides anew. */
async function start() {
  const mine = ++turn;
  history.replaceState(null, "", `#s=${encode(state)}`);
  $("command").textContent = `${command(0)}\n${command(1)}`;
  let scenes;
  try {
    scenes = await Promise.all([0, 1].map(async (side) => (await planner.ask("describe", question(side))).value));
  } catch (problems) {
    return show(problems);
  }
  if (mine !== turn) return;
  show(null);
  const title = (name) => algorithms.find((known) => known.name === name)?.title ?? name;
  const runs = sides.map((side, i) => side.run(question(i), scenes[i], title(state.cc[i]), () => {
    frame ??= requestAnimationFrame(draw);
  }));
  await Promise.all(runs);
  if (mine === turn) document.body.dataset.done = mine;
}

/** Both sides on the same scales. */
function draw() {
  frame = null;
  const all = sides.map((side) => side.series());
  const most = {};
  for (const name of Object.keys(all[0])) {
    const values = all.flatMap((side) => side[name].flatMap(({ x, y }) => y.filter((_, i) => x[i] >= settled(x))));
    most[name] = values.reduce((a, b) => (b > a ? b : a), 0);
  }
  sides.forEach((side, i) => side.draw(all[i], most));
}

/** The time from which values decide the scale: slow start overshoots by far. */
function settled(x) {
  return x.length > 100 ? x[Math.floor(x.length / 20)] : 0;
}

async function begin() {
  algorithms = (await planner.ask("algorithms", {})).value;
  for (const side of [0, 1]) {
    const groups = [["several paths", true], ["each path alone", false]].map(([label, coupled]) => {
      const group = document.createElement("optgroup");
      group.label = label;
      group.append(...algorithms.filter((known) => known.coupled === coupled)
        .map(({ name, title }) => new Option(`${name}: ${title}`, name)));
      return group;
    });
    $(`cc-${side}`).append(...groups);
    $(`cc-${side}`).addEventListener("change", ({ target }) => {
      state.cc[side] = target.value;
      start();
    });
  }
  $("duration").addEventListener("input", ({ target }) => {
    state.duration = +target.value;
    target.nextElementSibling.textContent = `${target.value} s`;
    start();
  });
  $("seed").addEventListener("change", ({ target }) => {
    state.seed = Math.max(0, Math.trunc(+target.value) || 0);
    start();
  });
  $("apply").addEventListener("click", () => open({ text: $("text").value, cc: state.cc }));
  $("copy-link").addEventListener("click", async () => {
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    $("copied").textContent = "The link is in the address bar, and in the clipboard where the browser allows it.";
  });
  $("presets").append(...PRESETS.map((preset) => {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: preset.title });
    button.dataset.id = preset.id;
    button.addEventListener("click", () => open(preset));
    return button;
  }));
  sides = [0, 1].map((i) => new Side($(`side-${i}`)));
  $("laboratory").hidden = false;
  const asked = location.hash;
  const shared = asked.startsWith("#s=") ? decode(asked.slice(3)) : null;
  const named = PRESETS.find(({ id }) => asked === `#${id}`);
  await open(shared ?? named ?? PRESETS[0]);
  if (asked.length > 1 && !shared && !named) {
    show([{ message: "The link to this page is damaged: this is the first question instead" }]);
  }
}

if (typeof WebAssembly === "undefined" || typeof Worker === "undefined") {
  $("unable").hidden = false;
  $("unable").textContent = "This browser has no WebAssembly, or no workers: it cannot simulate. The command anabranch run gives the same numbers.";
} else {
  begin();
}
