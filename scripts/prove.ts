// `npm run prove`: every test at full counts and every bench, written down in docs/report.md, which is committed.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem, type } from "node:os";
import { type Figure, short } from "../bench/bench.ts";

const page = "docs/report.md";
const env = { ...process.env, DECKHAND_FULL: "1" };

const tests = await runTests();
const figures = runBenches();
writeFileSync(page, render());
console.log(`Written: ${page}`);
const over = figures.filter(({ verdict }) => verdict === "missed" || verdict === "failed");
process.exitCode = tests.exitCode !== 0 || over.length > 0 ? 1 : 0;

/** Shows the tests' output as it comes, and keeps the closing counts of node:test ("ℹ pass 12"). */
async function runTests(): Promise<{ exitCode: number; counts: Map<string, string> }> {
  console.log("Tests at full counts …");
  const child = spawn(process.execPath, ["scripts/test.ts"], { env, stdio: ["ignore", "pipe", "inherit"] });
  const counts = new Map<string, string>();
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    process.stdout.write(text);
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, name, value] = /^ℹ (\w+) ([\d.]+)$/.exec(line) ?? [];
      if (name && value) counts.set(name, value);
    }
  });
  const { promise, resolve } = Promise.withResolvers<number>();
  child.on("close", (code) => resolve(code ?? 1));
  return { exitCode: await promise, counts };
}

function runBenches(): Figure[] {
  console.log("Benches …");
  const { stdout } = spawnSync(process.execPath, ["bench/run.ts", "--json"], {
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return (JSON.parse(stdout) as { figures: Figure[] }).figures;
}

function render(): string {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const gigabytes = (totalmem() / 2 ** 30).toFixed(0);
  const rows = figures.map(({ name, unit, figure, budget, verdict, detail }) => {
    const limit = budget === null ? "" : `≤ ${short(budget)} ${unit}`;
    return `| ${name} | ${short(figure)} ${unit} | ${limit} | ${verdict} | ${detail ?? ""} |`.replaceAll("\n", " ");
  });
  return `${[
    "# Report",
    "Written by `npm run prove`: every test at full counts, then every bench in a process of its own.",
    [
      "| | |",
      "|---|---|",
      `| date | ${new Date().toISOString().slice(0, 10)} |`,
      `| deckhand | ${version} |`,
      `| Node | ${process.version} |`,
      `| machine | ${availableParallelism()} × ${cpus()[0]?.model.trim() ?? "unknown processor"}, ${gigabytes} GB, ${type()} ${process.arch} |`,
    ].join("\n"),
    "## Tests",
    ["tests", "suites", "pass", "fail", "cancelled", "skipped", "todo"]
      .map((name) => `${name} ${tests.counts.get(name) ?? "?"}`)
      .join(" · ") + ` · ${(Number(tests.counts.get("duration_ms") ?? Number.NaN) / 1000).toFixed(0)} s`,
    "## Figures",
    ["| what | figure | budget | verdict | detail |", "|---|---|---|---|---|", ...rows].join("\n"),
  ].join("\n\n")}\n`;
}
