// Fragments of a page that load once they are seen or opened, its charts, and the search.
"use strict";

const anabranch = { waiting: new Map() };

// The compressed text of each fragment, which the fragment's script passes. `data` is base64 of raw deflate.
anabranch.part = (path, data) => {
  const take = anabranch.waiting.get(path);
  try {
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    take?.resolve(new Response(stream).text());
  } catch (error) {
    // Browsers that know the class may not know the format.
    take?.reject(new Error(`this browser cannot decompress the data: use a newer browser (${error.message})`));
  }
};

const scripts = new Map();

// A script is loaded once.
function script(src) {
  if (!scripts.has(src)) {
    scripts.set(src, new Promise((resolve, reject) => {
      const element = document.createElement("script");
      element.src = src;
      element.onload = resolve;
      element.onerror = () => reject(new Error(`${src} cannot be loaded`));
      document.head.append(element);
    }));
  }
  return scripts.get(src);
}

// The text of a fragment. A page from a disk may not fetch files, but it may load scripts.
function part(path) {
  let entry = anabranch.waiting.get(path);
  if (!entry) {
    entry = {};
    entry.text = new Promise((resolve, reject) => Object.assign(entry, { resolve, reject }));
    anabranch.waiting.set(path, entry);
    if (typeof DecompressionStream === "undefined") entry.reject(new Error("this browser cannot decompress the data: use a newer browser"));
    else script(path).catch(entry.reject);
  }
  return entry.text;
}

// Text and lines take the page's colour, so that they follow the light and the dark scheme.
const config = {
  background: "transparent",
  font: "system-ui, sans-serif",
  view: { stroke: null },
  axis: {
    domainColor: "currentColor", domainOpacity: 0.5,
    tickColor: "currentColor", tickOpacity: 0.5,
    gridColor: "currentColor", gridOpacity: 0.1,
    labelColor: "currentColor", labelFontSize: 11, labelFlush: false,
    titleColor: "currentColor", titleFontSize: 12, titleFontWeight: "normal", titlePadding: 8,
    tickCount: 6,
  },
  legend: {
    labelColor: "currentColor", titleColor: "currentColor", titleFontWeight: "normal", labelFontSize: 12, symbolStrokeWidth: 1.8, symbolSize: 70, offset: 14,
  },
};

// Legends and labels are arranged by the width that a first layout finds: a second one makes room for them.
const settle = (view) => view.resize().runAsync();

let libraries;

// The scripts that draw charts come with the first chart, unless the page has them.
function vegaLibraries() {
  libraries ??= part("assets/vendor/vega.js").then((text) => {
    document.head.append(Object.assign(document.createElement("script"), { textContent: text }));
  });
  return libraries;
}

// Long columns hold the steps between their numbers, in units of their last decimal.
function unpacked(column) {
  if (!column?.steps) return column;
  let sum = 0;
  return column.steps.map((step) => (step === null ? null : (sum += step) / 10 ** column.decimals));
}

// A page of its own has a chart's specification in it.
async function specification(chart) {
  const own = chart.querySelector("script");
  const spec = own ? JSON.parse(own.textContent) : JSON.parse(await part(chart.dataset.part))[chart.dataset.panel];
  for (const series of spec.data.values) for (const key of Object.keys(series)) series[key] = unpacked(series[key]);
  return spec;
}

const NAMES = { low: "lower end", high: "upper end" };
const NAMES_OF_BOXES = { n: "values", bottom: "lower whisker", low: "lower quartile", high: "upper quartile", top: "upper whisker" };

// The values behind a chart, one line for each point that has a tooltip.
function points(spec) {
  const { x, y } = spec.encoding;
  const names = "n" in spec.data.values[0] ? NAMES_OF_BOXES : NAMES;
  const title = (key) => ({ x: x.title, label: x.title || "place", y: y.title ?? spec.layer[0].encoding.fill.title })[key] || names[key] || key;
  const isColumn = (of) => !("n" in of) && Array.isArray(of.y);
  const keys = ["series", "label", "x", "n", "y", "bottom", "low", "median", "high", "top"].filter((key) =>
    spec.data.values.some((of) => key in of && (isColumn(of) ? of[key].length > 0 : !Array.isArray(of[key]))));
  const lines = spec.data.values.flatMap((of) => (isColumn(of)
    ? of.y.map((_, i) => i).filter((i) => of.handle?.[i] !== 0).map((i) => keys.map((key) => (key === "series" ? of.series : of[key]?.[i])))
    : [keys.map((key) => of[key])]));
  return { heads: keys.map(title), lines };
}

// For who does not see a chart: its values as a table, made when it is opened.
function tabulate(chart) {
  const details = Object.assign(document.createElement("details"), { className: "values" });
  details.innerHTML = '<summary>Values as a table</summary><div class="scroll" tabindex="0"></div>';
  details.addEventListener("toggle", async () => {
    const place = details.lastChild;
    try {
      const { heads, lines } = points(await specification(chart));
      const table = document.createElement("table");
      table.createCaption().textContent = chart.ariaLabel;
      const row = (cells, tag, within) => within.insertRow().append(...cells.map((cell) =>
        Object.assign(document.createElement(tag), { textContent: cell ?? "–" })));
      row(heads, "th", table.createTHead());
      const body = table.createTBody();
      for (const line of lines) row(line, "td", body);
      place.append(table);
      details.dataset.state = "filled";
    } catch (error) {
      place.textContent = `The values cannot be shown (${error.message}).`;
      details.dataset.state = "failed";
    }
  }, { once: true });
  chart.after(details);
}

async function draw(chart) {
  if (chart.dataset.state) return;
  chart.dataset.state = "drawing";
  const place = document.createElement("div");
  chart.append(place);
  try {
    const spec = await specification(chart);
    if (typeof vegaEmbed === "undefined") await vegaLibraries();
    const { view } = await vegaEmbed(place, spec, {
      mode: "vega-lite",
      renderer: "svg",
      config,
      downloadFileName: chart.dataset.name,
      actions: { export: true, source: true, compiled: false, editor: false },
      logLevel: vega.Error,
    });
    // The figure has a description, and a table of its values.
    place.querySelector("svg.marks")?.setAttribute("aria-hidden", "true");
    place.querySelector("summary")?.setAttribute("aria-label", "Save this chart");
    chart.querySelector("img")?.remove();
    await settle(view);
    addEventListener("resize", () => settle(view));
    chart.dataset.state = "drawn";
  } catch (error) {
    chart.dataset.state = "failed";
    place.className = "hint";
    place.textContent = chart.querySelector("img")
      ? `A picture: this chart cannot be made interactive (${error.message}).`
      : `This chart cannot be drawn (${error.message}).`;
  }
}

// One after the other: each takes the browser's time.
let drawing = Promise.resolve();
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    seen.unobserve(entry.target);
    drawing = drawing.then(() => draw(entry.target));
  }
}, { rootMargin: "600px" });

function begin(within) {
  for (const chart of within.querySelectorAll(".chart")) {
    seen.observe(chart);
    tabulate(chart);
  }
  for (const details of within.querySelectorAll("details[data-part]")) {
    details.addEventListener("toggle", () => fill(details), { once: true });
  }
}

// Puts a fragment into the element that is opened.
async function fill(details) {
  const place = details.querySelector(":scope > .part");
  try {
    const text = await part(details.dataset.part);
    place.innerHTML = details.dataset.piece ? JSON.parse(text)[details.dataset.piece] : text;
    begin(place);
    details.dataset.state = "filled";
  } catch (error) {
    details.dataset.state = "failed";
    place.textContent = `This section cannot be shown (${error.message}).`;
  }
}

// The target of a link may be folded away.
function open() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  if (target) target.scrollIntoView();
}

const MOST_FOUND = 40;

function searching() {
  const box = document.querySelector("search");
  if (!box) return;
  const [field, list] = [box.querySelector("input"), box.querySelector("ul")];
  box.hidden = false;
  const item = (html) => list.append(Object.assign(document.createElement("li"), html));
  const find = async () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return list.replaceChildren();
    let all;
    try {
      all = JSON.parse(await part(field.dataset.part));
    } catch (error) {
      list.replaceChildren();
      return item({ textContent: `The search cannot be used (${error.message}).` });
    }
    const { entries, about, synonyms } = all;
    const has = (text, w) => text.includes(w) || (Object.hasOwn(synonyms, w) ? synonyms[w] : []).some((other) => text.includes(other));
    // What an entry belongs to counts, too: those that have all words themselves come first.
    const own = entries.map(([text, , , verdict]) => `${text} ${verdict ?? ""}`.toLowerCase());
    const whole = own.map((text, i) => `${text} ${about[entries[i][4]] ?? ""}`.toLowerCase());
    const matches = (texts) => entries.filter((_, i) => words.every((w) => has(texts[i], w)));
    const found = [...new Set([...matches(own), ...matches(whole)])];
    list.replaceChildren();
    // Below the field as far as there is room.
    const [from, room] = [box.getBoundingClientRect().left, box.parentElement.getBoundingClientRect()];
    const pad = parseFloat(getComputedStyle(box.parentElement).paddingLeft);
    const widest = parseFloat(getComputedStyle(list).maxWidth);
    list.style.marginLeft = `${Math.max(0, Math.min(from - room.left - pad, room.width - 2 * pad - widest))}px`;
    for (const [text, href, kind, verdict] of found.slice(0, MOST_FOUND)) {
      const link = Object.assign(document.createElement("a"), { textContent: text, href });
      const line = document.createElement("li");
      line.append(link);
      if (verdict) line.append(" ", Object.assign(document.createElement("span"), { className: `verdict ${kind}`, textContent: verdict }));
      list.append(line);
    }
    if (!found.length) item({ textContent: "No entry contains all of these words." });
    if (found.length > MOST_FOUND) item({ textContent: `and ${found.length - MOST_FOUND} more` });
  };
  field.addEventListener("input", find);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (event.key !== "/" || event.ctrlKey || event.altKey || event.metaKey || typing) return;
    event.preventDefault();
    field.focus();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { field.value = ""; list.replaceChildren(); }
    if (event.key === "Enter") list.querySelector("a")?.click();
  });
}

begin(document);
searching();
open();
addEventListener("hashchange", open);
