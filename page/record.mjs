// Prints a scenario's record, by the page's worker:  node page/record.mjs LABORATORY SCENARIO
// It extracts the module and the worker from the page, like a browser.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import vm from "node:vm";
import { gunzipSync } from "node:zlib";

// A function from a scenario's file to the worker's answer.
export function simulator(page) {
  const html = readFileSync(page, "utf8");
  const script = (id) => html.split(`<script id="${id}" type="text/plain">`)[1].split("</script>")[0];
  let answered;
  const worker = vm.createContext({
    WebAssembly, TextEncoder, TextDecoder, Uint8Array, Float64Array, performance,
    postMessage: (message) => { if (message.answer) answered = message.answer; },
  });
  vm.runInContext(script("worker"), worker);
  worker.onmessage({ data: { module: gunzipSync(Buffer.from(script("module"), "base64")) } });
  return (file) => {
    worker.onmessage({ data: { id: 0, name: "run", question: { text: readFileSync(file, "utf8") } } });
    return answered;
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [page, file] = process.argv.slice(2);
  const answer = simulator(page)(file);
  console.log(answer.text);
  process.exitCode = answer.ok ? 0 : 1;
}
