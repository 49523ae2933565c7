import type { TracedCall } from "./check-evidence.ts";
import { normalizeCommand, workingParts } from "./command-claims.ts";
import type { Claim, Verdict } from "./evidence.ts";
import type { Statement } from "./parse-answer.ts";

/** What an answer says of tests and of a checker's findings, in numbers or as "all". */
export function findCountClaims(statements: readonly Statement[], calls: readonly TracedCall[]): Claim[] {
  const runs = findTestRuns(calls);
  const answer = statements.map(({ text }) => text).join("\n");
  const admitsFailure = /\bfail(?:s|ed|ing|ures?)?\b|실패/i.test(
    answer.replaceAll(/\b(?:0|no|zero) (?:tests? )?fail\w*/gi, ""),
  );
  return statements.flatMap(({ text }) => {
    const plain = text.replaceAll("`", "").replaceAll("**", "");
    return [
      ...testCounts(plain).map((said) => judgeTests(said, runs, admitsFailure)),
      ...findingCounts(plain).map((said) => judgeFindings(said, calls)),
      ...errorCounts(plain).map((said) => judgeErrors(said, runs)),
    ];
  });
}

interface SaidOfTests {
  readonly text: string;
  readonly outcome: "passed" | "failed";
  /** Null: all of them. */
  readonly count: number | null;
}

const numbered = [
  /\b(?:all |the )*(?<count>\d[\d,]*)(?:\s?\/\s?\d+| of \d+| out of \d+)?(?<which>(?: [\w-]+){0,2}?) (?:tests?|specs?)(?: cases?)?(?: suites?)?(?: (?:have|has|are|is|were|now|all|still))* (?<outcome>pass(?:es|ed|ing)?|succeed(?:ed|s)?|green|fail(?:s|ed|ing)?)\b/gi,
  /\b(?<count>\d+)(?<which>) (?<outcome>passed|passing|failed|failing|failures?)\b/gi,
  /\bpass(?:es|ed|ing)?\b[^.;]{0,12}\((?<count>\d+)(?<which>) tests?\)(?<outcome>)/gi,
  /테스트\s*(?<count>\d+)\s*개(?<which>)(?:가|는|이|도|를|의)?\s*(?:모두|전부|다)?\s*(?<outcome>통과|성공|실패)/g,
  /(?<count>\d+)개(?:의)?(?<which>)\s*테스트(?:가|는|를|도)?\s*(?:모두|전부|다)?\s*(?<outcome>통과|성공|실패)/g,
  /(?<![\d개])(?<count>\d+)개(?<which>)\s*(?<outcome>통과|실패)/g,
];

const all = [
  /\ball (?:of )?(?:the |our )?(?:existing |unit |other |integration |remaining )*tests? (?:(?:now|still|are|have) )*(?:pass(?:es|ed|ing)?|succeed(?:ed)?|green)\b/gi,
  /(?<!\d )(?<!\b(?:new|these|those|added|relevant|related|affected|first|other|unit|integration|regression) )\b(?:the )?(?:test suite|tests) (?:(?:now|all|still) )*(?:pass(?:es|ed)?|(?:is|are) (?:now |all )*(?:passing|green))\b/gi,
  /(?<=\b(?:test suite|tests)\b[^.;]{0,20})\beverything (?:(?:now|still|is) )*(?:pass(?:es|ed|ing)|succeed(?:s|ed)|green)\b/gi,
  /(?:모든|전체)\s*테스트(?:가|는|를|도)?\s*(?:모두\s*)?(?:통과|성공)/g,
  /테스트(?:가|는)?\s*(?:모두|전부)\s*(?:통과|성공)/g,
  /테스트(?:를|을|도)?\s*(?:실행|수행|돌)\S*\s*(?:모두|전부|다)\s*(?:통과|성공)/g,
];

function testCounts(text: string): SaidOfTests[] {
  const said = numbered.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap((found): (SaidOfTests & { at: number })[] => {
      const { count = "", which = "", outcome = "" } = found.groups ?? {};
      // The number of some of them is in no summary.
      if (
        /\b(?:new|added|these|those|remaining|other|first|related|relevant|existing|failing|regression|extra|more|additional)\b/i.test(
          which,
        )
      )
        return [];
      if (/\b(?:new|added|these|those|fixed|the other|remaining)\s*$/i.test(text.slice(0, found.index))) return [];
      const isFailed = /^fail|실패/i.test(outcome);
      return [
        {
          text: found[0].trim(),
          outcome: isFailed ? "failed" : "passed",
          count: Number(count.replaceAll(",", "")),
          at: found.index,
        },
      ];
    }),
  );
  const whole = all.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap((found): (SaidOfTests & { at: number })[] => {
      const after = text.slice(found.index + found[0].length);
      if (/^,?\s*(?:except|apart from|other than|aside from|save for|제외)/i.test(after)) return [];
      return [{ text: found[0], outcome: "passed", count: null, at: found.index }];
    }),
  );
  const kept: (SaidOfTests & { at: number })[] = [];
  for (const each of [...said, ...whole]) {
    const overlaps = kept.some(({ at, text: other }) => each.at < at + other.length && at < each.at + each.text.length);
    if (!overlaps) kept.push(each);
  }
  return kept;
}

function judgeTests(said: SaidOfTests, runs: readonly TestRun[], admitsFailure: boolean): Claim {
  const claim = (verdict: Verdict, run: TestRun | undefined, why: string): Claim => ({
    kind: "count",
    text: said.text,
    verdict,
    executionId: run?.call.id ?? null,
    why,
  });
  const last = runs.at(-1);
  if (!last) return claim("unmatched", undefined, "No call of this turn ran tests.");
  if (said.count === null) {
    if (last.isRed) return claim("contradicted", last, `The last run of tests failed${tell(last)}.`);
    return claim("matched", last, `The last run of tests passed${tell(last)}.`);
  }
  const found = runs.findLast(({ summary }) => fits(said, summary));
  const counted = runs.findLast(({ summary }) => summary.passed !== null || summary.failed !== null);
  if (found) {
    const isExcused = found === last || !last.isRed || said.outcome === "failed" || admitsFailure;
    if (isExcused) return claim("matched", found, "A run of tests says so.");
    return claim("contradicted", last, `A later run of tests failed${tell(last)}.`);
  }
  if (!counted) return claim("partial", last, "Tests were run; their output has no such number.");
  return claim("contradicted", counted, `The last run of tests says otherwise${tell(counted)}.`);
}

function fits({ outcome, count }: SaidOfTests, { passed, failed, total }: TestRun["summary"]): boolean {
  if (outcome === "failed") return failed === count;
  return passed === count || (total === count && failed === 0);
}

function tell({ summary: { passed, failed } }: TestRun): string {
  if (passed === null && failed === null) return "";
  return ` (${[passed === null ? "" : `${passed} passed`, failed === null ? "" : `${failed} failed`].filter(Boolean).join(", ")})`;
}

interface SaidOfFindings {
  readonly text: string;
  readonly count: number;
  readonly noun: string;
}

function findingCounts(text: string): SaidOfFindings[] {
  if (/\b(?:fix|resolv|correct|clean(?!ly)|remov|address|solv)\w*\b|수정|해결/i.test(text)) return [];
  if (!/\b(?:report|show|find|found|produc|output|print|exit|with|lint|tsc|eslint|build|audit|compil)\w*/i.test(text))
    return [];
  return [...text.matchAll(/\b(\d+) (error|warning|problem|vulnerabilit)(?:s|y|ies)?\b/gi)].map((found) => ({
    text: found[0],
    count: Number(found[1]),
    noun: found[2]!.toLowerCase(),
  }));
}

/** "7 tests passed, 0 errors": of the run of tests, which has no such word when there are none. */
function errorCounts(text: string): SaidOfFindings[] {
  const pattern = /\b\d+ (?:tests? )?(?:passed|passing)\b[^.;]{0,30}?\b((\d+) errors?)\b/gi;
  if (findingCounts(text).length > 0) return [];
  return [...text.matchAll(pattern)].map((found) => ({ text: found[1]!, count: Number(found[2]), noun: "error" }));
}

function judgeErrors({ text, count }: SaidOfFindings, runs: readonly TestRun[]): Claim {
  const last = runs.at(-1);
  const claim = (verdict: Verdict, why: string): Claim => ({
    kind: "count",
    text,
    verdict,
    executionId: last?.call.id ?? null,
    why,
  });
  if (!last) return claim("unmatched", "No call of this turn ran tests.");
  const said = [...last.call.output.matchAll(/\b(\d+) errors?\b|\berrors=(\d+)/gi)].map((found) =>
    Number(found[1] ?? found[2]),
  );
  if (said.length === 0 ? count === 0 && !last.isRed : said.at(-1) === count)
    return claim("matched", "The last run of tests says so.");
  return claim("contradicted", `The last run of tests says otherwise${tell(last)}.`);
}

function judgeFindings({ text, count, noun }: SaidOfFindings, calls: readonly TracedCall[]): Claim {
  const claim = (verdict: Verdict, call: TracedCall | undefined, why: string): Claim => ({
    kind: "count",
    text,
    verdict,
    executionId: call?.id ?? null,
    why,
  });
  const counts = (call: TracedCall): number[] =>
    [...call.output.matchAll(new RegExp(`\\b(\\d+) ${noun}`, "gi"))].map(([, number]) => Number(number));
  const shell = calls.filter(({ command, hasRun }) => command !== null && hasRun);
  const saying = shell.findLast((call) => counts(call).includes(count));
  const last = shell.findLast((call) => counts(call).length > 0);
  if (saying && saying === last) return claim("matched", saying, "The output says so.");
  // A checker that found nothing often says nothing.
  const silent = shell.findLast(({ isOk, command }) => isOk && checker.test(command!));
  if (count === 0 && silent && (!last || shell.indexOf(silent) > shell.indexOf(last))) {
    return claim("matched", silent, "The last check ended without complaint.");
  }
  if (saying) return claim("partial", saying, "An earlier output says so, a later one has another number.");
  if (last) return claim("contradicted", last, "The output has another number.");
  return claim("unmatched", undefined, "No output of this turn has such a number.");
}

const checker = /\b(?:tsc|eslint|oxlint|ruff|mypy|lint|build|check|clippy|vet|audit|compile)\b/;

/** What a test runner said at its end; null: it did not say. */
interface TestSummary {
  readonly passed: number | null;
  readonly failed: number | null;
  readonly total: number | null;
}

interface TestRun {
  readonly call: TracedCall;
  readonly summary: TestSummary;
  readonly isRed: boolean;
}

/** The runs of tests, in their order; of each command only the last. */
function findTestRuns(calls: readonly TracedCall[]): TestRun[] {
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
