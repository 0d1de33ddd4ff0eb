// Checks that the page's worker returns the bytes of the command:  node page/same-bytes.mjs LABORATORY ANABRANCH SCENARIO…
import { execFileSync } from "node:child_process";
import { simulator } from "./record.mjs";

const [page, anabranch, ...scenarios] = process.argv.slice(2);
const simulate = simulator(page);

for (const file of scenarios) {
  const answered = simulate(file);
  const native = execFileSync(anabranch, ["run", file, "--json"], { encoding: "utf8" });
  if (!answered.ok || answered.text.trim() !== native.trim()) {
    console.error(`page: ${file}: the page's record is not that of ${anabranch}`);
    process.exit(1);
  }
  console.log(`page: ${file}: the same bytes`);
}
if (scenarios.length === 0) throw new Error("no scenario to compare");
