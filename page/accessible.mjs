// Checks pages by axe-core, in Chromium, with light and with dark colours:  node page/accessible.mjs CHROMIUM AXE PAGE…
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { inChromium } from "./chromium.mjs";

const [chromium, axe, ...pages] = process.argv.slice(2);
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
// Targets of 24 px are in WCAG 2.2, but not among the rules that run unasked.
const OPTIONS = { runOnly: TAGS, rules: { "target-size": { enabled: true } }, resultTypes: ["violations"] };

/** What is wrong with a page: the rule, and where. */
async function violations(page) {
  const { violations } = JSON.parse(await page.value(`axe.run(document, ${JSON.stringify(OPTIONS)}).then(JSON.stringify)`));
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, any, all, none }) =>
    `${id}: ${html.slice(0, 160)} (${[...any, ...all, ...none].map(({ message }) => message).join("; ")})`));
}

try {
  await inChromium(chromium, async (open) => {
    for (const file of pages) {
      const page = await open(`file://${resolve(file)}`);
      await page.until(`location.protocol === "file:" && document.readyState === "complete"`);
      // The laboratory says when it has computed; a report loads what is opened.
      await page.until(`!document.querySelector("main#laboratory") || document.body.dataset.done`);
      await page.until(`[...document.querySelectorAll("details")].every((of) => {
        of.open = true;
        return !of.dataset.part || of.dataset.state;
      })`);
      await page.value(readFileSync(axe, "utf8"));
      for (const value of ["light", "dark"]) {
        await page.ask("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] });
        const found = [...new Set(await violations(page))];
        if (found.length) throw new Error(`${file}, ${value}: ${found.length} mistakes\n${found.join("\n")}`);
      }
      await page.close();
      console.log(`page in Chromium: ${file}: axe finds nothing`);
    }
  });
} catch (error) {
  console.error(`page in Chromium: ${error.message}`);
  process.exitCode = 1;
}
