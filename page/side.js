// One side: a run of the scenario with one algorithm, its charts and its shares compared with theory.

const FLOWS_SHOWN = 6;
const MBIT = 1e6;

/** Links whose queues are drawn: as many as there are colours. */
const LINKS_SHOWN = COLOURS.length;

class Side {
  flows = [];
  links = [];
  summary = null;
  ideal = null;
  scene = { duration_s: 1, warmup_s: 0 };

  constructor(article) {
    this.article = article;
    article.innerHTML = '<h2></h2><p class="state"></p><table class="shares"></table><p class="theory"></p>';
    this.title = article.querySelector("h2");
    this.state = article.querySelector(".state");
    this.shares = article.querySelector(".shares");
    this.theory = article.querySelector(".theory");
    this.charts = {
      goodput: new Chart(article, "Throughput of each flow; dotted: its share in theory", "Mbit/s"),
      window: new Chart(article, "Congestion windows", "segments"),
      queue: new Chart(article, "Queues", "kB"),
    };
    const record = document.createElement("details");
    record.innerHTML = '<summary>The record, as <code>anabranch run --json</code> prints it</summary><pre tabindex="0"></pre>';
    article.append(record);
    this.record = record.querySelector("pre");
    this.engine = new Engine();
  }

  /** Before the first scenario that is right. */
  wait() {
    this.state.textContent = "not computed";
    for (const chart of Object.values(this.charts)) chart.draw([], 1, 1);
  }

  /** Starts again; calls `changed` whenever there is more to draw. */
  async run(question, scene, title, changed) {
    this.engine.stop();
    this.question = question;
    this.scene = scene;
    this.title.textContent = title;
    this.summary = this.ideal = null;
    this.record.textContent = "";
    this.flows = scene.flows.map((flow) => ({
      ...flow,
      subflows: flow.paths.map(() => ({ time: [], cwnd: [], delivered: [] })),
    }));
    this.links = scene.links.map((link) => ({ ...link, time: [], bytes: [] }));
    this.state.textContent = "computing …";
    const began = performance.now();
    const theory = this.engine.ask("ideal", question).then(({ value }) => { this.ideal = value; }, () => {});
    try {
      const { value, text } = await this.engine.ask("run", question, (more) => {
        this.#take(more);
        changed();
      });
      await theory;
      this.summary = value;
      this.record.textContent = text;
      const seconds = (performance.now() - began) / 1000;
      this.state.textContent = `${scene.duration_s} s simulated in ${seconds.toFixed(2)} s`;
    } catch (problems) {
      this.state.textContent = problems.map((problem) => problem.message).join("; ");
    }
    changed();
  }

  #take({ time, subflows, links }) {
    for (let i = 0; i < subflows.length; i += 7) {
      const series = this.flows[subflows[i]]?.subflows[subflows[i + 1]];
      if (!series) continue;
      const [time, cwnd, delivered] = [subflows[i + 2], subflows[i + 3], subflows[i + 5]];
      // A subflow that is down has no samples: its line has a gap there.
      const [before, last] = series.time.slice(-2);
      if (last !== undefined && time - last > 3.5 * (last - before)) {
        series.time.push(last + (time - last) / 2);
        series.cwnd.push(null);
        series.delivered.push(series.delivered.at(-1));
      }
      series.time.push(time);
      series.cwnd.push(cwnd);
      series.delivered.push(delivered);
    }
    for (let i = 0; i < links.length; i += 4) {
      const series = this.links[links[i]];
      series.time.push(links[i + 1]);
      series.bytes.push(links[i + 2]);
    }
    if (time !== null) {
      this.state.textContent = `computing: ${time.toFixed(0)} of ${this.scene.duration_s} s`;
    }
  }

  /** The flow's share in theory; null if the theory does not cover its algorithm, or if the flow pauses. */
  #share(flow) {
    if (!this.flows[flow].greedy) return null;
    const own = this.ideal?.allocations.find((allocation) => allocation.id === this.ideal.own);
    return own?.flows[flow]?.goodput_bps ?? null;
  }

  /** The series of each chart. */
  series() {
    const flows = this.flows.slice(0, FLOWS_SHOWN);
    const goodput = [];
    const windows = [];
    flows.forEach((flow, f) => {
      goodput.push({ label: flow.name, colour: f, ...rate(flow.subflows) });
      const share = this.#share(f);
      if (share !== null) {
        const x = [this.scene.warmup_s, this.scene.duration_s];
        goodput.push({ label: `${flow.name} in theory`, colour: f, dash: DOTTED, width: 1.5, x, y: x.map(() => share / MBIT) });
      }
      flow.subflows.forEach(({ time, cwnd }, s) => {
        const label = flow.subflows.length > 1 ? `${flow.name} ${s + 1}, ${flow.paths[s].join("+")}` : flow.name;
        windows.push({ label, colour: f, dash: DASHES[s % DASHES.length], x: time, y: cwnd });
      });
    });
    const queue = this.links.slice(0, LINKS_SHOWN).map(({ name, time, bytes }, l) => (
      { label: name, colour: l, x: time, y: bytes.map((b) => b / 1000) }));
    return { goodput, window: windows, queue };
  }

  draw(all, most) {
    for (const [name, chart] of Object.entries(this.charts)) chart.draw(all[name], this.scene.duration_s, most[name]);
    this.#table();
  }

  #table() {
    const rows = this.flows.slice(0, FLOWS_SHOWN).map((flow, f) => {
      const measured = this.summary?.flows[f]?.goodput_bps ?? null;
      const share = this.#share(f);
      const shown = (bps) => (bps === null ? "–" : digits(bps / MBIT));
      return [flow.name, this.summary?.flows[f]?.cc ?? flow.cc, shown(measured), shown(share)];
    });
    const cells = (tag, row) => row.map((cell) => {
      const element = document.createElement(tag);
      element.textContent = cell;
      return element;
    });
    const line = (tag, row) => {
      const element = document.createElement("tr");
      element.append(...cells(tag, row));
      return element;
    };
    this.shares.replaceChildren(
      line("th", ["flow", "algorithm", "Mbit/s", "in theory"]), ...rows.map((row) => line("td", row)));
    const more = this.flows.length - FLOWS_SHOWN;
    const missing = this.ideal?.missing.map(({ title, why }) => `${title}: ${why}`) ?? [];
    const pausing = this.flows.some((flow) => !flow.greedy);
    const notes = [...(pausing && this.ideal?.own ? ["The theory assumes that every flow always sends, so flows that pause have no share."] : []),
      ...(more > 0 ? [`${more} more flows are not shown.`] : []),
      ...(this.links.length > LINKS_SHOWN ? [`${this.links.length - LINKS_SHOWN} more links are not shown.`] : []),
      ...(this.ideal && !this.ideal.own ? ["The theory does not cover these algorithms.", ...missing] : [])];
    this.theory.textContent = notes.join(" ");
  }
}

/**
 * Throughput of a connection over the last second, in Mbit/s; over a longer time between samples if they are further apart. Its
 * subflows are not all up at the same times.
 */
function rate(subflows) {
  const time = [...new Set(subflows.flatMap((subflow) => subflow.time))].sort((a, b) => a - b);
  const next = subflows.map(() => 0);
  const total = time.map((now) => subflows.reduce((sum, subflow, s) => {
    while (subflow.time[next[s]] <= now) next[s]++;
    return sum + (next[s] > 0 ? subflow.delivered[next[s] - 1] : 0);
  }, 0));
  const x = [];
  const y = [];
  let from = 0;
  for (let i = 1; i < time.length; i++) {
    while (from + 1 < i && time[i] - time[from] > 1.001) from++;
    x.push(time[i]);
    y.push(((total[i] - total[from]) * 8) / (time[i] - time[from]) / MBIT);
  }
  return { x, y };
}
