// `npm test`: every test/**/*.test.ts on node:test, a few files at a time.
//
//   npm test                                    all
//   npm test -- test/engine                     one folder, or files
//   npm test -- --test-name-pattern="slot"      any other argument goes to `node --test`
import { spawnSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";

const given = process.argv.slice(2);
const flags = given.filter((argument) => argument.startsWith("-"));
const paths = given.filter((argument) => !argument.startsWith("-"));
const files = (paths.length > 0 ? paths : ["test"]).flatMap((path) => testsIn(path)).sort();
if (files.length === 0) {
  console.error(`No test files (*.test.ts) in ${paths.join(", ") || "test"}.`);
  process.exit(1);
}

const full = process.env["DECKHAND_FULL"] === "1";
const reporter = process.stdout.isTTY ? "spec" : "./scripts/compact-reporter.ts";
const env = {
  ...process.env,
  // Tests that start the command take the built one: `pretest` has just compared it with the sources.
  DECKHAND_TEST_BUILT: "1",
  // Hundreds of processes load the same sources: each is stripped and compiled once.
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? resolve("node_modules/.cache/deckhand-test"),
};
const result = spawnSync(
  process.execPath,
  [
    ...(full ? [] : ["--import", new URL("../test/support/steady-seed.ts", import.meta.url).href]),
    "--test",
    // More than there are cores: many tests wait for processes and clocks.
    `--test-concurrency=${2 * availableParallelism()}`,
    `--test-timeout=${full ? 30 * 60_000 : 150_000}`,
    ...(flags.some((flag) => flag.startsWith("--test-reporter")) ? [] : [`--test-reporter=${reporter}`]),
    ...flags,
    ...files,
  ],
  { stdio: "inherit", env },
);
process.exitCode = result.status ?? 1;

function testsIn(path: string): string[] {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return globSync(isFolder ? `${path}/**/*.test.ts` : path);
}
