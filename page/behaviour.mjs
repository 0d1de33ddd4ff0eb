// Checks how the page behaves, in Chromium:  node page/behaviour.mjs CHROMIUM LABORATORY
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { inChromium } from "./chromium.mjs";

const [chromium, laboratory] = process.argv.slice(2);
const address = `file://${resolve(laboratory)}`;

/** Computed, after what was asked last. */
const settled = async (page) => page.until("Number(document.body?.dataset.done) > (window.before ?? 0)");
const act = async (page, script) => page.value(`window.before = Number(document.body.dataset.done); ${script}; true`);
const change = (id, value, event) => `{ const of = document.querySelector(${JSON.stringify(id)}); of.value = ${JSON.stringify(value)}; of.dispatchEvent(new Event("${event}")); }`;
const record = async (page, side = 0) => JSON.parse(await page.value(`document.querySelector("#side-${side} > details pre").textContent`));

const checks = {
  async "a wrong scenario leaves charts and sliders"(page) {
    const [charts, sliders] = await page.value(`[document.querySelectorAll(".u-wrap canvas").length, document.querySelectorAll("#links input").length]`);
    const text = await page.value(`document.querySelector("#text").value`);
    await act(page, `${change("#text", "name = 1", "input")} document.querySelector("#apply").click()`);
    await page.until(`!document.querySelector("#problems").hidden`);
    assert.deepEqual(await page.value(`[document.querySelectorAll(".u-wrap canvas").length, document.querySelectorAll("#links input").length]`), [charts, sliders]);
    assert.equal(await page.value(`document.querySelector("#stale").hidden`), false);
    assert.ok((await record(page)).flows.length > 0);
    await act(page, `${change("#text", text, "input")} document.querySelector("#apply").click()`);
    await settled(page);
    assert.equal(await page.value(`document.querySelector("#problems").hidden`), true);
  },
  async "a choice made while a text is opened is kept"(page) {
    await act(page, `document.querySelector("#apply").click(); ${change("#cc-0", "olia", "change")} ${change("#duration", "45", "input")}
      ${change("#links input", "100", "input")}`);
    await page.until(`document.querySelector("#command").textContent.includes("olia")`);
    await new Promise((later) => setTimeout(later, 500));
    await settled(page);
    const { flows, duration_s } = await record(page);
    assert.equal(flows[0].cc, "olia");
    assert.equal(duration_s, 45);
    assert.equal(await page.value(`document.querySelector("#cc-0").value`), "olia");
    assert.equal(await page.value(`document.querySelector("#links input").value`), "100");
  },
  async "neighbours get an algorithm"(page) {
    await act(page, change("#beside", "cubic", "change"));
    await settled(page);
    for (const side of [0, 1]) {
      const { flows } = await record(page, side);
      assert.equal(flows.find(({ name }) => name === "neighbour").cc, "cubic");
    }
    assert.match(await page.value(`document.querySelector("#command").textContent`), /--cc neighbour=cubic/);
  },
  async "sliders say their values"(page) {
    const spoken = await page.value(`[...document.querySelectorAll("input[type=range]")].map((of) => of.ariaValueText)`);
    assert.ok(spoken.length > 4 && spoken.every((text) => /( s|Mbit\/s|ms|BDP|%|none)$/.test(text)), spoken.join("; "));
  },
  async "charts stand side by side and have their values"(page) {
    const tops = await page.value(`[0, 1].map((side) => [...document.querySelectorAll("#side-" + side + " figure")].map((of) => of.getBoundingClientRect().top))`);
    assert.equal(tops[0].length, 3);
    assert.deepEqual(tops[0], tops[1]);
    await page.value(`document.querySelector("#side-0 figure details").open = true`);
    await page.until(`document.querySelectorAll("#side-0 figure table tr td").length > 0`);
    const heads = await page.value(`[...document.querySelector("#side-0 figure details table tr").cells].map((of) => of.textContent)`);
    assert.deepEqual(heads.slice(0, 2), ["time (s)", "pair"]);
  },
  async "samples far apart have a throughput"(page) {
    const text = `name = "sparse"\nduration = "12 s"\nrecord.interval = "2 s"\nlinks.a = { rate = "8 Mbit/s", delay = "10 ms" }\n`
      + `flows = [{ name = "alone", cc = "reno", paths = [["a"]] }]`;
    // Without a frame: what is done is also drawn.
    await act(page, `window.framed = requestAnimationFrame; requestAnimationFrame = () => 0; ${change("#text", text, "input")} document.querySelector("#apply").click()`);
    await settled(page);
    await page.value("requestAnimationFrame = window.framed; true");
    // At 10 s, at most 8 Mbit/s with 1448 of 1500 bytes.
    const mbps = await page.value(`[...document.querySelectorAll("#side-0 figure table tr")].find((row) => row.cells[0].textContent === "10").cells[1].textContent`);
    assert.ok(parseFloat(mbps) > 7 && parseFloat(mbps) < 7.73, mbps);
  },
  async "a seed beyond whole numbers of JavaScript is the scenario's"(page) {
    const text = `name = "seeded"\nseed = 9007199254740993\nduration = "2 s"\nlinks.a = { rate = "8 Mbit/s", delay = "10 ms" }\n`
      + `flows = [{ name = "alone", cc = "reno", paths = [["a"]] }]`;
    await act(page, `${change("#text", text, "input")} document.querySelector("#apply").click()`);
    await settled(page);
    assert.match(await page.value(`document.querySelector("#side-0 > details pre").textContent`), /"seed": ?"?9007199254740993\b/);
  },
  async "advice has a row for each algorithm, and goes with its scenario"(page) {
    const text = `name = "short"\nduration = "6 s"\nwarmup = "2 s"\nlinks.a = { rate = "8 Mbit/s", delay = "10 ms" }\n`
      + `links.b = { rate = "4 Mbit/s", delay = "20 ms" }\nflows = [{ name = "both", cc = "lia", paths = [["a"], ["b"]] },`
      + ` { name = "other", cc = "reno", paths = [["a"]] }]`;
    await act(page, `${change("#text", text, "input")} document.querySelector("#apply").click()`);
    await settled(page);
    await page.value(`document.querySelector("#advise").click()`);
    await page.until(`!document.querySelector("#advice-table").hidden`);
    const rows = await page.value(`[...document.querySelectorAll("#advice-table tr")].map((row) => [...row.cells].map((of) => of.textContent))`);
    assert.deepEqual(rows.slice(1).map(([name]) => name), ["uncoupled", "lia", "olia", "balia", "coupled-cubic", "linked-cubic"]);
    // Of 12 Mbit/s, with a Reno flow on one link.
    for (const [name, goodput] of rows.slice(1)) assert.ok(parseFloat(goodput) > 3 && parseFloat(goodput) < 12, `${name}: ${goodput}`);
    // The Reno flow has what is left of its link.
    assert.deepEqual(rows[0].slice(6), ["goodput of other (Mbit/s)", "link of goal 2"]);
    for (const [name, , , , , , other] of rows.slice(1)) assert.ok(parseFloat(other) > 1 && parseFloat(other) < 8, `${name}: ${other}`);
    assert.match(await page.value(`document.querySelector("#advised").textContent`), /goal|difference/);
    await act(page, change("#links input", "120", "input"));
    await settled(page);
    assert.equal(await page.value(`document.querySelector("#advice-table").hidden`), true);
  },
  async "a narrow screen has nothing beside it"(page) {
    for (const width of [390, 768, 1280]) {
      await page.ask("Emulation.setDeviceMetricsOverride", { width, height: 1000, deviceScaleFactor: 1, mobile: false });
      await page.until(`document.documentElement.scrollWidth <= ${width}`);
    }
  },
  async "every control is reached by the keyboard"(page) {
    const reached = new Set();
    await page.value(`document.activeElement.blur()`);
    for (let i = 0; i < 120; i++) {
      for (const type of ["keyDown", "keyUp"]) await page.ask("Input.dispatchKeyEvent", { type, key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 });
      reached.add(await page.value(`[...document.querySelectorAll("*")].indexOf(document.activeElement)`));
    }
    const missed = await page.value(`[...document.querySelectorAll("button, select, input, summary, pre")].filter((of) => of.checkVisibility() && of.offsetParent)
      .map((of) => [[...document.querySelectorAll("*")].indexOf(of), of.outerHTML.slice(0, 60)])`);
    assert.deepEqual(missed.filter(([at]) => !reached.has(at)).map(([, html]) => html), []);
  },
};

try {
  await inChromium(chromium, async (open) => {
    const page = await open(address);
    await page.until("document.body?.dataset.done");
    for (const [what, check] of Object.entries(checks)) {
      await check(page).catch((error) => { throw new Error(`${what}: ${error.message}`); });
      console.log(`page in Chromium: ${what}`);
    }
  });
} catch (error) {
  console.error(`page in Chromium: ${error.message}`);
  process.exitCode = 1;
}
