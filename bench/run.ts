// Runs every bench and compares its figure with its budget.
//
//   npm run bench                 all, as a table; exit 1 when a budget is missed
//   npm run bench -- tracking     those whose name contains "tracking"
//   npm run bench -- --json       one JSON document on stdout
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { type Bench, type Figure, short, takeFigure } from "./bench.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean", default: false }, only: { type: "string", multiple: true } },
});

if (values.only) await runOne(values.only);
else await runAll();

/** In the child: `--only FILE --only NAME`. */
async function runOne([file = "", name = ""]: string[]): Promise<void> {
  const bench = (await benchesOf(file)).find((candidate) => candidate.name === name);
  if (!bench) throw new Error(`${file} has no bench "${name}".`);
  const figure = await takeFigure(bench);
  process.stdout.write(`\n${JSON.stringify(figure)}\n`, () => process.exit(0));
}

async function runAll(): Promise<void> {
  const figures: Figure[] = [];
  for (const file of globSync("bench/*.bench.ts").sort()) {
    for (const bench of await benchesOf(file)) {
      if (positionals.some((text) => !bench.name.includes(text))) continue;
      const figure = inFreshProcess(file, bench);
      figures.push(figure);
      if (!values.json) console.log(line(figure));
    }
  }
  if (figures.length === 0) {
    console.error(`No bench has ${positionals.map((text) => `"${text}"`).join(" and ")} in its name.`);
    process.exitCode = 1;
    return;
  }
  if (values.json) console.log(JSON.stringify({ node: process.version, figures }, null, 2));
  const bad = figures.filter(({ verdict }) => verdict === "missed" || verdict === "failed");
  if (!values.json) console.log(`${figures.length} figures, ${bad.length} over budget or failed`);
  process.exitCode = bad.length > 0 ? 1 : 0;
}

async function benchesOf(file: string): Promise<readonly Bench[]> {
  const { benches } = (await import(pathToFileURL(file).href)) as { benches: readonly Bench[] };
  return benches;
}

function inFreshProcess(file: string, bench: Bench): Figure {
  const { name, unit } = bench;
  const args = ["--expose-gc", fileURLToPath(import.meta.url), "--only", file, "--only", name];
  const child = spawnSync(process.execPath, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 1 << 28,
  });
  const last = child.stdout.trimEnd().split("\n").at(-1) ?? "";
  if (child.status === 0 && last.startsWith("{")) return JSON.parse(last) as Figure;
  const detail = child.stderr.trim() || `ended with ${child.status ?? child.signal}`;
  return { name, unit, figure: Number.NaN, budget: bench.budget ?? null, verdict: "failed", detail };
}

function line({ name, unit, figure, budget, verdict, detail }: Figure): string {
  const limit = budget === null ? "" : `≤ ${short(budget)} ${unit}`;
  return `${name.padEnd(60)} ${`${short(figure)} ${unit}`.padStart(12)} ${limit.padStart(12)}  ${verdict}${detail ? `  (${detail})` : ""}`;
}
