// Checks that the page's worker returns the bytes of the command:  node page/same-bytes.mjs LABORATORY ANABRANCH SCENARIO…
// It extracts the module and the worker from the page, like a browser.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import vm from "node:vm";
import { gunzipSync } from "node:zlib";

const [page, anabranch, ...scenarios] = process.argv.slice(2);
const html = readFileSync(page, "utf8");
const script = (id) => html.split(`<script id="${id}" type="text/plain">`)[1].split("</script>")[0];

let answered;
const worker = vm.createContext({
  WebAssembly, TextEncoder, TextDecoder, Uint8Array, Float64Array, performance,
  postMessage: (message) => { if (message.answer) answered = message.answer; },
});
vm.runInContext(script("worker"), worker);
worker.onmessage({ data: { module: gunzipSync(Buffer.from(script("module"), "base64")) } });

for (const file of scenarios) {
  worker.onmessage({ data: { id: 0, name: "run", question: { text: readFileSync(file, "utf8") } } });
  const native = execFileSync(anabranch, ["run", file, "--json"], { encoding: "utf8" });
  if (!answered.ok || answered.text.trim() !== native.trim()) {
    console.error(`page: ${file}: the page's record is not that of ${anabranch}`);
    process.exit(1);
  }
  console.log(`page: ${file}: the same bytes`);
}
if (scenarios.length === 0) throw new Error("no scenario to compare");
