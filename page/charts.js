// Line charts over time.

// After Okabe and Ito's set for colour-blind readers, with a contrast of 3:1 on white and on dark.
const COLOURS = ["#0072b2", "#d55e00", "#009073", "#c065a0", "#a87900", "#6f6fd0", "#7a7a7a"];
const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3]];

/** A piece of a series' line, as a background. */
function piece({ colour, dash }) {
  const ink = COLOURS[colour % COLOURS.length];
  let at = 0;
  const parts = DASHES[dash ?? 0].map((length, i) => `${i % 2 ? "transparent" : ink} ${at}px ${at += length}px`);
  return parts.length ? `repeating-linear-gradient(to right, ${parts.join(", ")})` : ink;
}

/** A chart of series {label, x, y, dashed?}; `most` is the upper end that both sides share. */
class Chart {
  #plot = null;
  #shape = "";

  constructor(parent, title, unit) {
    this.figure = document.createElement("figure");
    const caption = document.createElement("figcaption");
    caption.textContent = `${title} (${unit})`;
    this.figure.append(caption);
    parent.append(this.figure);
    new ResizeObserver(() => this.#fit()).observe(this.figure);
  }

  #fit() {
    const width = this.figure.clientWidth;
    if (this.#plot && width > 0) this.#plot.setSize({ width, height: 200 });
  }

  draw(series, until, most) {
    // A null is a gap: this series lacks values at times when others have some.
    const expand = series.map(() => [1, 2]);
    const data = series.length > 0 ? uPlot.join(series.map(({ x, y }) => [x, y]), expand) : [[]];
    const shape = JSON.stringify(series.map(({ label }) => label));
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
      dash: DASHES[dash ?? 0],
      width: width ?? 1.5,
      points: { show: false },
      value: (_, value) => (value == null ? "–" : digits(value)),
    });
    this.#plot = new uPlot({
      width: this.figure.clientWidth || 480,
      height: 200,
      scales: { x: { time: false, min: 0, max: until }, y: { auto: false, min: 0, max: top } },
      axes: [axis, { ...axis, size: 56, values: (_, values) => values.map(digits) }],
      legend: { markers: { width: 0, fill: (_, i) => piece(series[i - 1]) } },
      series: [{ label: "s", value: (_, value) => (value == null ? "–" : value.toFixed(1)) }, ...series.map(line)],
    }, data, this.figure);
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
