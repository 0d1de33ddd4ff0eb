// Advice: the usual algorithms and single-path flows in the connection's place, as `anabranch advise` runs them.

const advisor = new Engine();

/** Forgets advice on a scenario that has changed. */
function withdraw(scene) {
  advisor.stop();
  $("advice").hidden = !scene.flows.some((flow) => flow.multipath);
  $("advise").disabled = false;
  $("advised").textContent = "";
  $("advice-table").hidden = true;
}

async function advise() {
  const asked = question(0, { ...state, cc: ["", ""], own: [] });
  $("advise").disabled = true;
  $("advice-table").hidden = true;
  $("advised").textContent = "computing …";
  try {
    const { value } = await advisor.ask("advise", asked, ({ time }) => {
      $("advised").textContent = `computing: ${Math.floor(100 * time)} %`;
    });
    $("advised").textContent = value.conclusion;
    tabulate(value, asked);
  } catch (problems) {
    $("advised").textContent = problems.map((problem) => problem.message).join("; ");
  }
  $("advise").disabled = false;
}

/** A row for each algorithm, and below it what the values are. */
function tabulate({ advice, misses, compared_with, rule }, { set, cc }) {
  const text = (estimate, factor = 1) => (!estimate ? "–" : estimate.half_width === null ? digits(estimate.mean * factor)
    : `${digits(estimate.mean * factor)} ± ${(+(estimate.half_width * factor).toPrecision(2))}`);
  const row = (cells, head = false) => {
    const line = document.createElement("tr");
    line.append(...cells.map((cell, i) => {
      const element = document.createElement(head || i === 0 ? "th" : "td");
      if (head || i === 0) element.scope = head ? "col" : "row";
      element.textContent = cell;
      return element;
    }));
    return line;
  };
  const others = advice.cases[0].others_bps.map(([name]) => `goodput of ${name} (Mbit/s)`);
  const links = others.length ? ["link of goal 2"] : [];
  const times = advice.cases[0].completions.map(([name]) => `completion of ${name} (ms)`);
  $("advice-table").querySelector("table").replaceChildren(
    row(["algorithm", "goodput (Mbit/s)", "goal 1 (≥ 0.9)", "goal 2 (≤ 1.1)", "goal 3 (≤ 1.1)", "misses", ...others, ...links, ...times], true),
    ...advice.cases.map(({ cc, goodput_bps, goal1, goal2, goal3, others_bps, completions }, i) => row([cc, text(goodput_bps, 1 / MBIT),
      ...[goal1, goal2, goal3].map((goal) => text(goal?.ratio)), misses[i],
      ...others_bps.map(([, rate]) => text(rate, 1 / MBIT)), ...links.map(() => goal2.link ?? ""), ...completions.map(([, time]) => text(time, 1000))])));
  $("advice-about").textContent = `${compared_with}. Means of ${advice.seeds} seeds; of flows with a count, the goodput is their sum. ${rule}`;
  const changes = [...set, ...cc.map((given) => given.split("=")).map(([flow, name]) => `flows.${JSON.stringify(flow)}.cc=${name}`)];
  const options = changes.map((change) => ` --set '${change.replaceAll("'", "'\\''")}'`).join("");
  $("advice-command").textContent = `anabranch advise scenario.toml --seeds ${advice.seeds}${options}`;
  $("advice-table").hidden = false;
}
