// Controls for each link: rate, delay, buffer and loss, on logarithmic sliders.

const CONTROLS = [
  {
    key: "rate", label: "rate", of: (link) => link.rate_bps / MBIT, min: 0.5, max: 1000,
    text: (value) => `${digits(value)} Mbit/s`, set: (value) => `${value} Mbit/s`,
  },
  {
    key: "delay", label: "delay", of: (link) => link.delay_s * 1000, min: 1, max: 300,
    text: (value) => `${digits(value)} ms`, set: (value) => `${value} ms`,
  },
  {
    key: "queue", label: "buffer", min: 0.05, max: 10,
    of: (link) => (link.queue_bytes ?? link.queue_packets * 1500) / link.bdp_bytes,
    text: (value) => `${digits(value)} BDP`, set: (value) => `${value} BDP`,
  },
  {
    key: "loss", label: "random loss", of: (link) => link.loss_rate === null ? null : link.loss_rate * 100, min: 0.001, max: 10, zero: true,
    text: (value) => (value === null ? "as in the text" : value === 0 ? "none" : `${digits(value)} %`),
    set: (value) => (value === 0 ? '{model="none"}' : `{model="bernoulli",rate=${+(value / 100).toPrecision(3)}}`),
  },
];

const STEPS = 200;

/** A value's place on a logarithmic slider; the first place is zero where there is one. */
function place({ min, max, zero }, value) {
  if (zero && !(value >= min)) return 0;
  return Math.max(zero ? 1 : 0, Math.min(STEPS, Math.round((STEPS * Math.log(value / min)) / Math.log(max / min))));
}

function valueAt({ min, max, zero }, step) {
  return zero && step === 0 ? 0 : +(min * (max / min) ** (step / STEPS)).toPrecision(2);
}

/** Sliders for every link; calls `moved(link, key, value)` on a change. */
function controls(parent, links, moved) {
  // Links that share a key (a `count`) have one control.
  const first = links.filter((link, i) => links.findIndex(({ key }) => key === link.key) === i);
  parent.replaceChildren(...first.map((link) => {
    const fieldset = document.createElement("fieldset");
    const legend = document.createElement("legend");
    legend.textContent = `Link ${link.key}`;
    fieldset.append(legend, ...CONTROLS.map((control) => slider(control, link, moved)));
    return fieldset;
  }));
}

/** Shows a slider's value beside it, and gives it to screen readers instead of its place. */
function speak(input, text) {
  input.setAttribute("aria-valuetext", text);
  input.nextElementSibling.textContent = text;
}

function slider(control, link, moved) {
  const label = document.createElement("label");
  const input = document.createElement("input");
  const output = document.createElement("output");
  const now = control.of(link);
  Object.assign(input, { type: "range", min: 0, max: STEPS, step: 1, value: place(control, now) });
  label.append(`${control.label} `, input, output);
  speak(input, control.text(now));
  input.addEventListener("input", () => {
    const value = valueAt(control, +input.value);
    speak(input, control.text(value));
    moved(link.key, control.key, control.set(value));
  });
  return label;
}
