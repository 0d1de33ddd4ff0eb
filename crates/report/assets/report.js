// Fragments of a page that load when opened, and the search.
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

function begin(within) {
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
