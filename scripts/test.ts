// `npm test`: every test/**/*.test.ts on node:test, a few files at a time.
//
//   npm test                                    all
//   npm test -- test/engine                     one folder, or files
//   npm test -- --test-name-pattern="slot"      any other argument goes to `node --test`
import { spawnSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";

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
const result = spawnSync(
  process.execPath,
  [
    ...(full ? [] : ["--import", new URL("../test/support/steady-seed.ts", import.meta.url).href]),
    "--test",
    `--test-concurrency=${Math.max(2, availableParallelism())}`,
    `--test-timeout=${full ? 30 * 60_000 : 150_000}`,
    ...(flags.some((flag) => flag.startsWith("--test-reporter")) ? [] : [`--test-reporter=${reporter}`]),
    ...flags,
    ...files,
  ],
  { stdio: "inherit" },
);
process.exitCode = result.status ?? 1;

function testsIn(path: string): string[] {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return globSync(isFolder ? `${path}/**/*.test.ts` : path);
}
