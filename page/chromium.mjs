// Pages in Chromium, by its debugging protocol.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PATIENCE_MS = 120_000;

/** Calls `work` with a function that opens an address, and ends the browser. */
export async function inChromium(chromium, work) {
  const profile = mkdtempSync(join(tmpdir(), "anabranch-page-"));
  // Disables all network requests, such as updates and site lists.
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--remote-debugging-pipe", "--window-size=1400,1000", `--user-data-dir=${profile}`];
  const browser = spawn(chromium, flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  // The protocol's messages are JSON, each followed by a zero byte.
  const waiting = new Map();
  const errors = [];
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
  const ask = (method, params = {}, sessionId = undefined) => new Promise((done, failed) => {
    waiting.set(++asked, { done, failed });
    browser.stdio[3].write(`${JSON.stringify({ id: asked, method, params, sessionId })}\0`);
  });
  const open = async (url) => {
    const { targetId } = await ask("Target.createTarget", { url });
    const { sessionId } = await ask("Target.attachToTarget", { targetId, flatten: true });
    await ask("Runtime.enable", {}, sessionId);
    const page = {
      /** The value of an expression, which may be a promise. */
      value: async (expression) => {
        const { result } = await ask("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true }, sessionId);
        if (errors.length) throw new Error(errors.join("; "));
        return result.value;
      },
      /** Waits until an expression is true. */
      until: async (expression) => {
        const end = Date.now() + PATIENCE_MS;
        while (!(await page.value(expression))) {
          if (Date.now() > end) throw new Error(`never: ${expression}; the page says: ${await page.value("document.body.innerText")}`);
          await new Promise((later) => setTimeout(later, 20));
        }
      },
      ask: (method, params) => ask(method, params, sessionId),
      close: () => ask("Target.closeTarget", { targetId }),
    };
    return page;
  };
  try {
    await Promise.race([work(open), new Promise((_, failed) => browser.on("exit", (code) => failed(new Error(`Chromium ended: ${code}`))))]);
  } finally {
    browser.removeAllListeners("exit");
    await Promise.race([ask("Browser.close"), new Promise((ended) => browser.on("exit", ended))]);
    await new Promise((ended) => (browser.exitCode === null ? browser.on("exit", ended) : ended()));
    rmSync(profile, { recursive: true, force: true });
  }
}
