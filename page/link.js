// The page's state in its address, so that a link carries the scenario.

function encode(state) {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const isText = (value) => typeof value === "string";
const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

const areTexts = (value) => value === undefined || (Array.isArray(value) && value.every(isText));

function isState(state) {
  return isTable(state) && isText(state.text) &&
    Array.isArray(state.cc) && state.cc.length === 2 && state.cc.every(isText) &&
    isTable(state.set) && Object.values(state.set).every((keys) => isTable(keys) && Object.values(keys).every(isText)) &&
    areTexts(state.changes) && areTexts(state.own) && (state.beside === undefined || isText(state.beside)) &&
    (state.duration === undefined || (Number.isFinite(state.duration) && state.duration > 0 && state.duration <= 3600)) &&
    (state.seed === undefined || (Number.isSafeInteger(state.seed) && state.seed >= 0));
}

/** The state in a link, `#s=`, compressed `#z=` or plain `#t=`; null if it is missing or damaged. */
async function decode(hash) {
  const [, kind, text] = hash.match(/^#([stz])=(.*)$/s) ?? [];
  if (!kind) return null;
  try {
    if (kind === "t") {
      const state = JSON.parse(decodeURIComponent(text));
      return isState(state) ? state : null;
    }
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    const whole = new Blob([bytes]).stream();
    const stream = kind === "z" ? whole.pipeThrough(new DecompressionStream("deflate-raw")) : whole;
    const state = JSON.parse(await new Response(stream).text());
    return isState(state) ? state : null;
  } catch {
    return null;
  }
}
