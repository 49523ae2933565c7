// `npm run prove`: every test at full counts and every bench, part by part, written down in docs/report.md, which is committed.
//
//   npm run prove                  every part that has no good result for the present state of the repository
//   npm run prove -- engine bench  these parts, whether they have one or not
//   npm run prove -- strengths     what this project promises most, in at most 15 minutes
//
// A part is a folder of test/, a package, or `bench`, or `strengths`. Its result is kept in node_modules/.cache, so that a run that was
// interrupted continues where it stopped.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem, type } from "node:os";
import { join } from "node:path";
import { type Figure, short } from "../bench/bench.ts";

interface PartResult {
  /** The state of the repository that was tried. */
  readonly state: string;
  readonly date: string;
  readonly exitCode: number;
  readonly seconds: number;
  /** The closing counts of node:test ("ℹ pass 12"). */
  readonly counts: Readonly<Record<string, string>>;
  readonly figures: readonly Figure[];
}

/** Verified stop, kill -9, batches, the canary's decision, tampering with the log, masking, and the corpora of attacks. */
const strengths = [
  "test/engine/{stopping,one-end,batch-equals-one-by-one,builtin-batches,conflicts,mask}.test.ts",
  "test/process/{stop,stop-tree,processes-to-kill,process-table,detached,reap,forged-end}.test.ts",
  "test/agent/loop/killed.test.ts",
  "test/tasks/{adopt-tasks,kill-anywhere,killed-workers,stop-task}.test.ts",
  "test/records/sqlite-processes.test.ts",
  "test/schedule/processes.test.ts",
  "test/e2e/{daemon-kill,rollout-processes}.test.ts",
  "test/tool-files/rollout/{decision/decision-*,promotion-controller}.test.ts",
  "test/records/audit-log/{verify-log,forged-lines,several-writers,prune-segments,store-refuses}.test.ts",
  "test/guard/secrets",
  "packages/command-analysis/test",
  "test/guard/exam.test.ts",
  "test/attacks",
];
/** How many times the quick counts, so that the strengths take minutes and not hours. */
const strengthsRepeat = "5";

const page = "docs/report.md";
const folder = join("node_modules", ".cache", "deckhand-prove");
const hidden = ["contract", "fixtures", "support"];
const folders = readdirSync("test").filter((name) => !hidden.includes(name) && !name.includes("."));
const packages = readdirSync("packages");
const parts = [...folders, ...packages, "bench"];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((part) => part !== "strengths" && !parts.includes(part));
if (unknown.length > 0) {
  console.error(`Unknown part: ${unknown.join(", ")}. There are: strengths, ${parts.join(", ")}.`);
  process.exit(2);
}

const state = describeState();
mkdirSync(folder, { recursive: true });
for (const part of wanted.length > 0 ? wanted : parts) {
  const known = readResult(part);
  if (wanted.length === 0 && known?.state === state && known.exitCode === 0) {
    console.log(`${part}: passed on ${known.date}, not repeated`);
    continue;
  }
  console.log(`\n== ${part}`);
  const result = part === "bench" ? runBenches() : await runTests(part);
  writeFileSync(join(folder, `${part}.json`), JSON.stringify(result));
  if (result.exitCode !== 0) process.exitCode = 1;
  if (part !== "strengths") writeFileSync(page, render());
}
if (wanted.some((part) => part !== "strengths") || wanted.length === 0) console.log(`Written: ${page}`);

function readResult(part: string): PartResult | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, `${part}.json`), "utf8")) as PartResult;
  } catch {
    return undefined;
  }
}

/** The commit, and what was changed since; the report itself does not count. */
function describeState(): string {
  const git = (...args: string[]): string => spawnSync("git", args, { encoding: "utf8" }).stdout.trim();
  const changes = git("diff", "HEAD", "--", ".", `:!${page}`) + git("ls-files", "--others", "--exclude-standard");
  const mark = changes === "" ? "" : `+${createHash("sha256").update(changes).digest("hex").slice(0, 8)}`;
  return `${git("rev-parse", "--short", "HEAD")}${mark}`;
}

/** Shows the tests' output as it comes, and keeps the closing counts of node:test. */
async function runTests(part: string): Promise<PartResult> {
  const [paths, counts] =
    part === "strengths"
      ? [strengths, { DECKHAND_REPEAT: strengthsRepeat }]
      : [[packages.includes(part) ? join("packages", part, "test") : join("test", part)], { DECKHAND_FULL: "1" }];
  const began = performance.now();
  const child = spawn(process.execPath, ["scripts/test.ts", ...paths], {
    env: { ...process.env, ...counts },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const found = new Map<string, string>();
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    process.stdout.write(text);
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, name, value] = /^ℹ (\w+) ([\d.]+)$/.exec(line) ?? [];
      if (name && value) found.set(name, value);
    }
  });
  const { promise, resolve } = Promise.withResolvers<number>();
  child.on("close", (code) => resolve(code ?? 1));
  const exitCode = await promise;
  return { ...stamp(began), exitCode, counts: Object.fromEntries(found), figures: [] };
}

function runBenches(): PartResult {
  const began = performance.now();
  const { stdout, status } = spawnSync(process.execPath, ["bench/run.ts", "--json"], {
    env: { ...process.env, DECKHAND_FULL: "1" },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { figures } = JSON.parse(stdout) as { figures: Figure[] };
  return { ...stamp(began), exitCode: status ?? 1, counts: {}, figures };
}

function stamp(began: number): Pick<PartResult, "state" | "date" | "seconds"> {
  const seconds = Math.round((performance.now() - began) / 1000);
  return { state, date: new Date().toISOString().slice(0, 10), seconds };
}

function render(): string {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const gigabytes = (totalmem() / 2 ** 30).toFixed(0);
  const results = parts.map((part) => ({ part, result: readResult(part) }));
  const tests = results.filter(({ part }) => part !== "bench").map(({ part, result }) => testRow(part, result));
  const figures = readResult("bench")?.figures ?? [];
  return `${[
    "# Report",
    "Written by `npm run prove`: every test at full counts, then every bench in a process of its own, part by part.",
    [
      "| | |",
      "|---|---|",
      `| date | ${new Date().toISOString().slice(0, 10)} |`,
      `| deckhand | ${version} |`,
      `| commit | ${state} |`,
      `| Node | ${process.version} |`,
      `| machine | ${availableParallelism()} × ${cpus()[0]?.model.trim() ?? "unknown processor"}, ${gigabytes} GB, ${type()} ${process.arch} |`,
    ].join("\n"),
    "## Tests",
    [
      "| part | tests | passed | failed | skipped | seconds | date | commit |",
      "|---|---|---|---|---|---|---|---|",
      ...tests,
    ].join("\n"),
    "## Figures",
    ["| what | figure | budget | verdict | detail |", "|---|---|---|---|---|", ...figures.map(figureRow)].join("\n"),
  ].join("\n\n")}\n`;
}

function testRow(part: string, result: PartResult | undefined): string {
  if (result === undefined) return `| ${part} | not run | | | | | | |`;
  const { tests, pass, fail, cancelled, skipped } = result.counts;
  const failed = Number(fail ?? 0) + Number(cancelled ?? 0);
  const columns = [part, tests ?? "?", pass ?? "?", failed, skipped ?? "?", result.seconds, result.date, result.state];
  return `| ${columns.join(" | ")} |`;
}

function figureRow({ name, unit, figure, budget, verdict, detail }: Figure): string {
  const limit = budget === null ? "" : `≤ ${short(budget)} ${unit}`;
  return `| ${name} | ${short(figure)} ${unit} | ${limit} | ${verdict} | ${detail ?? ""} |`.replaceAll("\n", " ");
}
