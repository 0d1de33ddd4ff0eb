// The page's state and controls; every change starts both sides again.

const $ = (id) => document.getElementById(id);
const PRESETS = [...document.querySelectorAll("script[data-preset]")].map((script) => ({
  ...JSON.parse(script.dataset.preset),
  text: script.textContent.trimStart(),
}));

/**
 * The scenario's text, both algorithms and what the controls changed. `changes` and `own` are the `--set` and `--cc` of the run that
 * it comes from; where a side has no algorithm it runs what that run did.
 */
let state;
let sides = [];
let algorithms = [];
/** The opening in progress, if any: a choice made meanwhile belongs to it as well. */
let opened = null;
const planner = new Engine();

function question(side, of = state) {
  const set = [...(of.changes ?? [])];
  if (of.duration !== undefined) set.push(`duration=${of.duration} s`);
  if (of.seed !== undefined) set.push(`seed=${of.seed}`);
  for (const [link, keys] of Object.entries(of.set)) {
    const quote = link.includes('"') ? "'" : '"';
    for (const [key, value] of Object.entries(keys)) set.push(`links.${quote}${link}${quote}.${key}=${value}`);
  }
  const chosen = of.cc[side] ? [of.flow ? `${of.flow}=${of.cc[side]}` : of.cc[side]] : of.own ?? [];
  const beside = of.beside ? of.neighbours.map((name) => `${name}=${of.beside}`) : [];
  return { text: of.text, set, cc: [...chosen, ...beside] };
}

function command(side) {
  const quoted = (word) => (/^[\w.=\/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
  const { set, cc } = question(side);
  return ["anabranch run scenario.toml", ...cc.map((word) => `--cc ${quoted(word)}`),
    ...set.map((word) => `--set ${quoted(word)}`)].join(" ");
}

/** Shows problems above the results, which stay, or hides the problems. */
function show(problems) {
  $("problems").hidden = !problems;
  $("stale").hidden = !problems || !sides.some((side) => side.flows.length > 0);
  $("problems").replaceChildren(...(problems ?? []).map(({ message, line, text, help }) => {
    const p = document.createElement("p");
    p.textContent = [line && `Line ${line}: `, message, text && ` (${text})`, help && `. ${help}.`].filter(Boolean).join("");
    return p;
  }));
}

/** Makes a choice, and simulates again. */
function choose(change) {
  for (const of of [state, opened]) if (of) change(of);
  if (state) start();
}

/** The flows beside the one that a side's algorithm is for, each group once. */
function neighbours({ flows }) {
  const beside = flows.some((flow) => flow.multipath) ? flows.filter((flow) => !flow.multipath) : flows.slice(1);
  return [...new Set(beside.map(({ name }) => name.replace(/\/\d+$/, "")))];
}

/** Opens a scenario and builds the controls of its links. The open scenario stays if the new one is wrong. */
async function open(next) {
  const mine = { set: {}, ...next, neighbours: [], cc: [...(next.cc ?? ["lia", "uncoupled"])] };
  opened = mine;
  const describe = async (ask) => (await planner.ask("describe", ask)).value;
  let scene, changed;
  try {
    scene = await describe(question(0, { ...mine, set: {}, cc: ["", ""], beside: "" }));
    mine.duration ??= scene.duration_s;
    // A larger one, which a number would round, stays in the text.
    if (Number.isSafeInteger(+scene.seed)) mine.seed ??= +scene.seed;
    mine.flow = scene.flows.some((flow) => flow.multipath) ? null : scene.flows[0]?.name ?? null;
    mine.neighbours = neighbours(scene);
    do {
      // A link of the former text may not be there any more.
      for (const link of Object.keys(mine.moved ?? {})) {
        if (scene.links.some(({ key }) => key === link)) Object.assign((mine.set[link] ??= {}), mine.moved[link]);
      }
      delete mine.moved;
      changed = await describe(question(0, mine)).catch(() => scene);
    } while (mine.moved);
  } catch (problems) {
    if (mine !== opened) return;
    opened = null;
    if (!state) {
      state = { ...mine, duration: mine.duration ?? 60, seed: mine.seed ?? 1 };
      sides.forEach((side) => side.wait());
    }
    $("text").value = mine.text;
    refused = true;
    return show(problems);
  }
  if (mine !== opened) return;
  opened = null;
  refused = false;
  state = mine;
  $("text").value = state.text;
  controls($("links"), changed.links, (link, key, value) => choose((of) => {
    const set = of === state ? of.set : (of.moved ??= {});
    (set[link] ??= {})[key] = value;
  }));
  for (const side of [0, 1]) $(`cc-${side}`).value = state.cc[side];
  $("beside").value = state.beside ?? "";
  $("beside").parentElement.hidden = state.neighbours.length === 0;
  const duration = $("duration");
  duration.min = 5 * Math.ceil((scene.warmup_s + 1) / 5);
  duration.max = Math.max(120, scene.duration_s);
  duration.value = state.duration;
  speak(duration, `${state.duration} s`);
  $("seed").value = state.seed ?? "";
  $("about").textContent = state.about ?? scene.description ?? "";
  for (const button of $("presets").children) button.setAttribute("aria-pressed", button.dataset.id === state.id);
  await start();
}

/** Was the text in the editor refused? */
let refused = false;
let frame = null;
let turn = 0;
let linking = null;

/** Puts the state into the address, at most a few times a second: browsers refuse more. */
function link() {
  clearTimeout(linking);
  linking = setTimeout(() => {
    try {
      history.replaceState(null, "", `#s=${encode(state)}`);
    } catch {
      // The page works without it.
    }
  }, 300);
}

/** Simulates both sides again. */
async function start() {
  const mine = ++turn;
  link();
  $("command").textContent = `${command(0)}\n${command(1)}`;
  let scenes;
  try {
    scenes = await Promise.all([0, 1].map(async (side) => (await planner.ask("describe", question(side))).value));
  } catch (problems) {
    return mine === turn ? show(problems) : undefined;
  }
  if (mine !== turn) return;
  withdraw(scenes[0]);
  // What is wrong with a text stays until another one is opened.
  if (!refused) show(null);
  const title = (name) => (name ? algorithms.find((known) => known.name === name)?.title ?? name : "As in the scenario");
  const runs = sides.map((side, i) => side.run(question(i), scenes[i], title(state.cc[i]), () => {
    frame ??= requestAnimationFrame(draw);
  }));
  await Promise.all(runs);
  if (mine !== turn) return;
  draw();
  $("done").textContent = `${scenes[0].duration_s} s simulated on both sides.`;
  document.body.dataset.done = mine;
}

/** Both sides on the same scales. */
function draw() {
  cancelAnimationFrame(frame);
  frame = null;
  const all = sides.map((side) => side.series());
  const most = {};
  for (const name of Object.keys(all[0])) {
    const values = all.flatMap((side) => side[name].flatMap(({ x, y }) => y.filter((_, i) => x[i] >= settled(x))));
    most[name] = values.reduce((a, b) => (b > a ? b : a), 0);
  }
  sides.forEach((side, i) => side.draw(all[i], most));
}

/** The time from which values determine the scale: slow start overshoots by far. */
function settled(x) {
  return x.length > 100 ? x[Math.floor(x.length / 20)] : 0;
}

async function begin() {
  await unpackModule();
  algorithms = (await planner.ask("algorithms", {})).value;
  const offer = (select, kinds, change) => {
    select.append(new Option("as in the scenario", ""), ...kinds.map(([label, coupled]) => {
      const group = document.createElement("optgroup");
      group.label = label;
      group.append(...algorithms.filter((known) => known.coupled === coupled)
        .map(({ name, title }) => new Option(`${name}: ${title}`, name)));
      return group;
    }));
    select.addEventListener("change", () => choose((of) => change(of, select.value)));
  };
  const multipath = ["multipath", true];
  for (const side of [0, 1]) {
    offer($(`cc-${side}`), [multipath, ["single-path, one instance per path", false]], (of, cc) => { of.cc[side] = cc; });
  }
  offer($("beside"), [["single-path", false], multipath], (of, cc) => { of.beside = cc; });
  $("duration").addEventListener("input", ({ target }) => {
    speak(target, `${target.value} s`);
    choose((of) => { of.duration = +target.value; });
  });
  $("seed").addEventListener("change", ({ target }) => choose((of) => { of.seed = Math.max(0, Math.trunc(+target.value) || 0); }));
  $("apply").addEventListener("click", () => {
    const { cc, beside, changes, own } = opened ?? state;
    open({ text: $("text").value, cc, beside, changes, own });
  });
  $("advise").addEventListener("click", advise);
  $("copy-link").addEventListener("click", async () => {
    const address = `${location.href.split("#")[0]}#s=${encode(state)}`;
    try {
      await navigator.clipboard.writeText(address);
      $("copied").textContent = "Link copied.";
    } catch {
      $("copied").textContent = "The browser denies access to the clipboard. Copy the link from the address bar.";
    }
  });
  $("presets").append(...PRESETS.map((preset) => {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: preset.title });
    button.dataset.id = preset.id;
    button.addEventListener("click", () => open(preset));
    return button;
  }));
  sides = [0, 1].map((i) => new Side($(`side-${i}`)));
  $("starting").hidden = true;
  $("laboratory").hidden = false;
  window.addEventListener("hashchange", fromAddress);
  // Within another page, which has its own heading, only the question that the address names.
  document.body.classList.toggle("framed", window.self !== window.top);
  await fromAddress();
}

/** Opens what the page's address names: a question, or a state. */
async function fromAddress() {
  const asked = location.hash;
  const shared = await decode(asked);
  const named = PRESETS.find(({ id }) => asked === `#${id}`);
  $("damaged").hidden = asked.length <= 1 || Boolean(shared ?? named);
  await open(shared ?? named ?? PRESETS[0]);
}

begin().catch((error) => {
  $("starting").hidden = true;
  $("unable").hidden = false;
  $("unable").append(` (${error?.message ?? error})`);
});
