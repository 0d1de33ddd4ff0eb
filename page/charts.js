// Line charts over time.

// After Okabe and Ito's set for colour-blind readers, with a contrast of 3:1 on white and on dark.
const COLOURS = ["#0072b2", "#d55e00", "#009073", "#c065a0", "#a87900", "#6f6fd0", "#7a7a7a"];
// Of a flow's subflows. Dots are theory's alone.
const DASHES = [[], [8, 4], [16, 4], [16, 4, 8, 4]];
const DOTTED = [2, 3];
/** Instants in a chart's table of values. */
const INSTANTS = 12;
const HEIGHT = 220;

/** A piece of a series' line, as a background. */
function piece({ colour, dash }) {
  const ink = COLOURS[colour % COLOURS.length];
  let at = 0;
  const parts = (dash ?? []).map((length, i) => `${i % 2 ? "transparent" : ink} ${at}px ${at += length}px`);
  return parts.length ? `repeating-linear-gradient(to right, ${parts.join(", ")})` : ink;
}

/** A chart of series {label, x, y, dash?}; `most` is the upper end that both sides share. */
class Chart {
  #plot = null;
  #shape = "";
  #series = [];
  #until = 0;

  constructor(parent, title, unit) {
    this.figure = document.createElement("figure");
    const caption = document.createElement("figcaption");
    caption.textContent = `${title} (${unit})`;
    this.figure.append(caption);
    this.title = caption.textContent;
    // For who does not see the chart.
    this.values = document.createElement("details");
    this.values.innerHTML = '<summary>Values</summary><div class="wide" tabindex="0"><table></table></div>';
    this.values.addEventListener("toggle", () => this.#tabulate());
    this.figure.append(this.values);
    parent.append(this.figure);
    new ResizeObserver(() => this.#fit()).observe(this.figure);
  }

  #fit() {
    const width = this.figure.clientWidth;
    if (this.#plot && width > 0) this.#plot.setSize({ width, height: HEIGHT });
  }

  /** The values at some instants: the last one of each series until then. */
  #tabulate() {
    if (!this.values.open) return;
    const row = (head, cells) => {
      const line = document.createElement("tr");
      line.append(...[head, ...cells].map((text, i) => {
        const cell = document.createElement(i && typeof head === "number" ? "td" : "th");
        cell.textContent = text;
        return cell;
      }));
      return line;
    };
    const at = ({ x, y }, time) => {
      const last = x.findLastIndex((of) => of <= time);
      return last < 0 || y[last] == null ? "–" : digits(y[last]);
    };
    const times = Array.from({ length: INSTANTS }, (_, i) => +((this.#until * (i + 1)) / INSTANTS).toPrecision(3));
    this.values.querySelector("table").replaceChildren(
      row("time (s)", this.#series.map(({ label }) => label)),
      ...times.map((time) => row(time, this.#series.map((series) => at(series, time)))));
  }

  draw(series, until, most) {
    // A null is a gap: this series lacks values at times when others have some.
    const expand = series.map(() => [1, 2]);
    const data = series.length > 0 ? uPlot.join(series.map(({ x, y }) => [x, y]), expand) : [[]];
    const shape = JSON.stringify(series.map(({ label }) => label));
    [this.#series, this.#until] = [series, until];
    this.#tabulate();
    const top = most > 0 ? most * 1.05 : 1;
    if (this.#plot && this.#shape === shape) {
      this.#plot.batch(() => {
        this.#plot.setData(data, false);
        this.#plot.setScale("x", { min: 0, max: until });
        this.#plot.setScale("y", { min: 0, max: top });
      });
      return;
    }
    this.#plot?.destroy();
    this.#shape = shape;
    const ink = getComputedStyle(document.body).color;
    const axis = { stroke: ink, grid: { stroke: "#8884" }, ticks: { stroke: "#8884" }, font: "12px system-ui" };
    const line = ({ label, colour, dash, width }) => ({
      label,
      stroke: COLOURS[colour % COLOURS.length],
      dash: dash ?? [],
      width: width ?? 1.5,
      points: { show: false },
      value: (_, value) => (value == null ? "–" : digits(value)),
    });
    this.#plot = new uPlot({
      width: this.figure.clientWidth || 480,
      height: HEIGHT,
      scales: { x: { time: false, min: 0, max: until }, y: { auto: false, min: 0, max: top } },
      axes: [{ ...axis, label: "time (s)", labelSize: 20, labelFont: axis.font, size: 34 }, { ...axis, size: 56, values: (_, values) => values.map(digits) }],
      legend: { markers: { width: 0, fill: (_, i) => piece(series[i - 1]) } },
      series: [{ label: "time (s)", value: (_, value) => (value == null ? "–" : value.toFixed(1)) }, ...series.map(line)],
    }, data, (plot, ready) => {
      this.values.before(plot.root);
      ready();
    });
    const root = this.#plot.root;
    root.setAttribute("role", "img");
    root.setAttribute("aria-label", `${this.title}. Lines: ${series.map(({ label }) => label).join("; ")}.`);
    this.#plot.setScale("x", { min: 0, max: until });
    this.#plot.setScale("y", { min: 0, max: top });
  }
}

/** A number with three digits. */
function digits(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6) return `${+(value / 1e6).toPrecision(3)} M`;
  if (size >= 1e4) return `${+(value / 1e3).toPrecision(3)} k`;
  return `${+value.toPrecision(3)}`;
}
