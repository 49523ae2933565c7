import { normalizeCommand, workingParts } from "./command-text.ts";
import type { TracedCall } from "./trace.ts";

/** What a test runner said at its end; null: it did not say. */
interface TestSummary {
  readonly passed: number | null;
  readonly failed: number | null;
  readonly total: number | null;
}

export interface TestRun {
  readonly call: TracedCall;
  readonly summary: TestSummary;
  readonly isRed: boolean;
}

/** The runs of tests, in their order; of each command only the last. */
export function findTestRuns(calls: readonly TracedCall[]): TestRun[] {
  const runs = new Map<string, TestRun>();
  for (const call of calls) {
    if (call.command === null || !call.hasRun) continue;
    const working = workingParts(call.command);
    if (working.length === 0) continue;
    const summary = readSummary(withoutEcho(call.output, call.command));
    if (summary === null && !working.some((part) => testCommand.test(part))) continue;
    const known = summary ?? { passed: null, failed: null, total: null };
    const key = normalizeCommand(call.command).replaceAll(/\s*(?:2>&1|\|.*$)/g, "");
    runs.delete(key);
    runs.set(key, { call, summary: known, isRed: (known.failed ?? 0) > 0 || (known.failed === null && !call.isOk) });
  }
  return [...runs.values()];
}

const testCommand =
  /(?:^|[\s;&|/])(?:npm (?:t|test|run [\w:]*test[\w:-]*)|(?:pnpm|yarn|bun) (?:run )?test\S*|npx (?:jest|vitest|mocha|ava|playwright)|jest|vitest|mocha|pytest|tox|rspec|ctest|phpunit|cargo test|go test|mvn test|gradle test|make (?:test|check)|node --test|python3? -m (?:pytest|unittest)|deno test|dotnet test|swift test|rake test)\b/;

/** Without what the command itself says: printing the words of a runner is no run of it. */
function withoutEcho(output: string, command: string): string {
  return output
    .split("\n")
    .filter((line) => line.trim().length < shortestEcho || !command.includes(line.trim()))
    .join("\n");
}

const shortestEcho = 6;

/** The numbers of a runner's last words. Null when no known runner spoke. */
function readSummary(output: string): TestSummary | null {
  for (const read of readers) {
    const summary = read(output);
    if (summary) return summary;
  }
  return null;
}

type Read = (output: string) => TestSummary | null;

const readers: readonly Read[] = [
  // node:test and TAP
  (output) => {
    const passed = lastNumber(output, /^[#ℹ]\s*pass\s+(\d+)/gmu);
    return passed === null ? null : complete(passed, lastNumber(output, /^[#ℹ]\s*fail\s+(\d+)/gmu) ?? 0);
  },
  // cargo: one for each crate
  (output) => {
    const all = [...output.matchAll(/test result: \w+\. (\d+) passed; (\d+) failed/g)];
    if (all.length === 0) return null;
    return complete(sum(all.map(([, passed]) => Number(passed))), sum(all.map(([, , failed]) => Number(failed))));
  },
  // jest and vitest: the line of the tests, not of the files
  (output) => fromLine([...output.matchAll(/^\s*Tests:?\s+(.*\b(?:passed|failed)\b.*)$/gm)].at(-1)?.[1]),
  // unittest
  (output) => {
    const ran = lastNumber(output, /^Ran (\d+) tests?/gm);
    if (ran === null) return null;
    const failed = sum([...output.matchAll(/\b(?:failures|errors)=(\d+)/g)].map(([, number]) => Number(number)));
    return complete(ran - failed, failed);
  },
  // rspec, mocha
  (output) => {
    const [, total, failed] = [...output.matchAll(/(\d+) examples?, (\d+) failures?/g)].at(-1) ?? [];
    if (total !== undefined) return complete(Number(total) - Number(failed), Number(failed));
    const passing = lastNumber(output, /(\d+) passing\b/g);
    return passing === null ? null : complete(passing, lastNumber(output, /(\d+) failing\b/g) ?? 0);
  },
  // pytest and others: the last line that counts
  (output) => fromLine(output.split("\n").findLast((line) => /\b\d+ (?:passed|failed)\b/.test(line))),
  // go: packages, no numbers
  (output) => {
    if (!/^(?:ok|FAIL|---)\s+\S/m.test(output) || !/^(?:ok|FAIL)\s/m.test(output)) return null;
    const passed = [...output.matchAll(/^\s*--- PASS/gm)].length;
    const failed = [...output.matchAll(/^\s*--- FAIL/gm)].length;
    const isRed = /^FAIL\b/m.test(output);
    return { passed: passed > 0 ? passed : null, failed: isRed ? Math.max(1, failed) : 0, total: null };
  },
];

function fromLine(line: string | undefined): TestSummary | null {
  if (line === undefined) return null;
  const of = (word: string): number | null => {
    const found = new RegExp(`(\\d+) ${word}`).exec(line);
    return found ? Number(found[1]) : null;
  };
  const [passed, failed] = [of("passed"), of("(?:failed|failures?)")];
  if (passed === null && failed === null) return null;
  const errors = of("errors?") ?? 0;
  const total = of("total") ?? (/\((\d+)\)\s*$/.exec(line)?.[1] ? Number(/\((\d+)\)\s*$/.exec(line)![1]) : null);
  return { passed: passed ?? 0, failed: (failed ?? 0) + errors, total: total ?? (passed ?? 0) + (failed ?? 0) };
}

function complete(passed: number, failed: number): TestSummary {
  return { passed, failed, total: passed + failed };
}

function lastNumber(text: string, pattern: RegExp): number | null {
  const found = [...text.matchAll(pattern)].at(-1)?.[1];
  return found === undefined ? null : Number(found);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
