// Checks that the page, in Chromium, returns the bytes of the command:  node page/in-chromium.mjs CHROMIUM LABORATORY ANABRANCH SCENARIO…
// A link opens each scenario, as the links of a report do; the left side's record is compared.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { deflateRawSync } from "node:zlib";
import { inChromium } from "./chromium.mjs";

const [chromium, page, anabranch, ...scenarios] = process.argv.slice(2);

/** The state of the page when both sides are computed; `kind` says how the link has the state. */
async function record(open, state, kind) {
  const text = Buffer.from(JSON.stringify(state));
  const bytes = kind === "z" ? deflateRawSync(text) : text;
  const hash = kind === "t" ? text.toString().replaceAll("%", "%25") : bytes.toString("base64url");
  const opened = await open(`file://${resolve(page)}#${kind}=${hash}`);
  await opened.until("document.body?.dataset.done");
  const own = await opened.value(`document.querySelector("#side-0 > details pre").textContent`);
  await opened.close();
  return own;
}

try {
  if (scenarios.length === 0) throw new Error("no scenario to compare");
  await inChromium(chromium, async (open) => {
    for (const [i, file] of scenarios.entries()) {
      const text = readFileSync(file, "utf8");
      const native = execFileSync(anabranch, ["run", file, "--json", "--cc", "lia", "--seed", "2"], { encoding: "utf8" });
      const own = await record(open, { text, cc: ["", "uncoupled"], set: {}, own: ["lia"], seed: 2 }, "zst"[i % 3]);
      if (own.trim() !== native.trim()) throw new Error(`${file}: the page's record is not that of ${anabranch}`);
      console.log(`page in Chromium: ${file}: the same bytes`);
    }
  });
} catch (error) {
  console.error(`page in Chromium: ${error.message}`);
  process.exitCode = 1;
}
