// Checks that the page, in Chromium, returns the bytes of the command:  node page/in-chromium.mjs CHROMIUM LABORATORY ANABRANCH SCENARIO…
// A link opens each scenario, as the links of a report do; the left side's record is compared.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { deflateRawSync } from "node:zlib";

const PATIENCE_MS = 120_000;
const [chromium, page, anabranch, ...scenarios] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), "anabranch-page-"));
// Disables all network requests, such as updates and site lists.
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--remote-debugging-pipe", `--user-data-dir=${profile}`];
const browser = spawn(chromium, flags, {
  stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
});

// The protocol's messages are JSON, each followed by a zero byte.
const waiting = new Map();
let errors = [];
let pending = "";
browser.stdio[4].setEncoding("utf8").on("data", (more) => {
  const messages = (pending + more).split("\0");
  pending = messages.pop();
  for (const { id, result, error, method, params } of messages.map(JSON.parse)) {
    if (method === "Runtime.exceptionThrown") errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    const { done, failed } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error) failed?.(new Error(error.message));
    else done?.(result);
  }
});
let asked = 0;
function ask(method, params = {}, sessionId = undefined) {
  return new Promise((done, failed) => {
    waiting.set(++asked, { done, failed });
    browser.stdio[3].write(`${JSON.stringify({ id: asked, method, params, sessionId })}\0`);
  });
}

/** What the page has when both sides are computed; `kind` says how the link has the state. */
async function record(state, kind) {
  const text = Buffer.from(JSON.stringify(state));
  const hash = (kind === "z" ? deflateRawSync(text) : text).toString("base64url");
  const { targetId } = await ask("Target.createTarget", { url: `file://${resolve(page)}#${kind}=${hash}` });
  const { sessionId } = await ask("Target.attachToTarget", { targetId, flatten: true });
  await ask("Runtime.enable", {}, sessionId);
  const value = async (expression) => (await ask("Runtime.evaluate", { expression, returnByValue: true }, sessionId)).result.value;
  const until = Date.now() + PATIENCE_MS;
  while (!(await value("document.body?.dataset.done"))) {
    if (Date.now() > until) throw new Error(`the page computes nothing: ${await value("document.body.innerText")}`);
    await new Promise((later) => setTimeout(later, 50));
  }
  const own = await value(`document.querySelector("#side-0 details pre").textContent`);
  await ask("Target.closeTarget", { targetId });
  return own;
}

async function compare() {
  for (const [i, file] of scenarios.entries()) {
    const text = readFileSync(file, "utf8");
    const native = execFileSync(anabranch, ["run", file, "--json", "--cc", "lia", "--seed", "2"], { encoding: "utf8" });
    const own = await record({ text, cc: ["", "uncoupled"], set: {}, own: ["lia"], seed: 2 }, "zs"[i % 2]);
    if (errors.length) throw new Error(`${file}: ${errors.join("; ")}`);
    if (own.trim() !== native.trim()) throw new Error(`${file}: the page's record is not that of ${anabranch}`);
    console.log(`page in Chromium: ${file}: the same bytes`);
  }
}

try {
  if (scenarios.length === 0) throw new Error("no scenario to compare");
  await Promise.race([compare(), new Promise((_, failed) => browser.on("exit", (code) => failed(new Error(`Chromium ended: ${code}`))))]);
} catch (error) {
  console.error(`page in Chromium: ${error.message}`);
  process.exitCode = 1;
} finally {
  browser.removeAllListeners("exit");
  await Promise.race([ask("Browser.close"), new Promise((ended) => browser.on("exit", ended))]);
  await new Promise((ended) => (browser.exitCode === null ? browser.on("exit", ended) : ended()));
  rmSync(profile, { recursive: true, force: true });
}
