// `npm test`: every *.test.ts of test/ and packages/*/test/ on node:test, several files at a time. The last lines name the slowest files, the processor
// time, and what to install for the tests that were skipped.
//
//   npm test                                    all
//   npm test -- test/engine                     one folder, or files
//   npm test -- --test-name-pattern="slot"      any other argument goes to `node --test`
import { spawnSync } from "node:child_process";
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { groupTests } from "./group-tests.ts";
import type { TestSummary } from "./summary-reporter.ts";

const given = process.argv.slice(2);
const flags = given.filter((argument) => argument.startsWith("-"));
const paths = given.filter((argument) => !argument.startsWith("-"));
const files = (paths.length > 0 ? paths : ["test", ...globSync("packages/*/test")])
  .flatMap((path) => testsIn(path))
  .sort();
const empty = paths.filter((path) => testsIn(path).length === 0);
if (empty.length > 0 || files.length === 0) {
  console.error(`No test files (*.test.ts) in ${empty.join(", ") || "test"}.`);
  process.exit(1);
}

const full = process.env["DECKHAND_FULL"] === "1";
const isLong = full || process.env["DECKHAND_REPEAT"] !== undefined;
const folder = mkdtempSync(join(tmpdir(), "deckhand-tests-"));
// Database servers of tests run as another account when we are root.
chmodSync(folder, 0o755);
const summaryFile = join(folder, "summary.json");
const timesFile = join(folder, "times");
const hasOwnReporter = flags.some((flag) => flag.startsWith("--test-reporter"));
const reporters = [
  `--test-reporter=${process.stdout.isTTY ? "spec" : "./scripts/compact-reporter.ts"}`,
  "--test-reporter-destination=stdout",
  "--test-reporter=./scripts/summary-reporter.ts",
  `--test-reporter-destination=${summaryFile}`,
];
// Files that are named, and long runs, have processes of their own.
const isWhole =
  !isLong && !hasOwnReporter && paths.every((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory());
const { programs, shared } = isWhole ? groupTests(files, folder) : { programs: files, shared: [] };
const env = {
  ...process.env,
  // Tests that start the command take the built one: `pretest` has just compared it with the sources.
  DECKHAND_TEST_BUILT: "1",
  DECKHAND_TEST_SHARED: folder,
  // Hundreds of processes load the same sources: each file is stripped and compiled once.
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? resolve("node_modules/.cache/deckhand-test"),
};
const command = (these: readonly string[]): string[] => [
  process.execPath,
  "--import",
  new URL("../test/support/before-tests.ts", import.meta.url).href,
  "--test",
  // More than there are cores: many tests wait for processes and clocks.
  `--test-concurrency=${2 * availableParallelism()}`,
  `--test-timeout=${isLong ? 30 * 60_000 : 300_000}`,
  ...(hasOwnReporter ? [] : reporters),
  ...flags,
  ...these,
];
try {
  process.exitCode = run(programs);
  if (!hasOwnReporter && files.length > 1) {
    const summary = readSummary();
    const reported = new Set(summary.files.map(({ path }) => path));
    const unreported = shared.filter((file) => !reported.has(file));
    if (unreported.length > 0) {
      console.log(`\nA process that ran several files ended before their tests did. Each of them in one of its own:`);
      process.exitCode = run(unreported) || 1;
      const { files: further, skipped } = readSummary();
      summary.files.push(...further);
      summary.skipped.push(...skipped);
    }
    printSummary(summary);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(these: readonly string[]): number {
  // The shell adds up the processor time of all that ran below it.
  const words = ["-c", '"$@"; code=$?; times >>"$0"; exit "$code"', timesFile, ...command(these)];
  return spawnSync("/bin/sh", words, { stdio: "inherit", env }).status ?? 1;
}

function readSummary(): TestSummary {
  return JSON.parse(readFileSync(summaryFile, "utf8")) as TestSummary;
}

function printSummary({ files: ran, skipped }: TestSummary): void {
  console.log("\nThe slowest files:");
  for (const { path, seconds } of ran.toSorted((one, other) => other.seconds - one.seconds).slice(0, 10)) {
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${path}`);
  }
  console.log(`Processor time: ${processorSeconds().toFixed(0)} s`);
  console.log(skipped.length === 0 ? "No test was skipped." : `Skipped: ${skipped.length} tests`);
  const byReason = Object.entries(Object.groupBy(skipped, ({ reason }) => reason));
  for (const [reason, tests = []] of byReason.sort(([, a = []], [, b = []]) => b.length - a.length)) {
    console.log(`${String(tests.length).padStart(7)}    ${reason}`);
  }
}

/** `times` prints the shell's own time and in the next line that of its children, each as user and system: "1m2.3s 0m4.5s". */
function processorSeconds(): number {
  const children = readFileSync(timesFile, "utf8")
    .split("\n")
    .filter((_, index) => index % 2 === 1);
  return [...children.join(" ").matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}

function testsIn(path: string): string[] {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return globSync(isFolder ? `${path}/**/*.test.ts` : path);
}
