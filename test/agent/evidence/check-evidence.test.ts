import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import fc from "fast-check";
import { checkEvidence } from "../../../src/agent/evidence/check-evidence.ts";
import { describeEvidence, renderEvidence } from "../../../src/agent/evidence/evidence.ts";
import { count } from "../../support/counts.ts";
import { edited, ran, read, wrote, type LabelledAnswer } from "./calls.ts";
import { freshAnswers } from "./fresh-answers.ts";
import { heldOutAnswers } from "./held-out-answers.ts";
import { knownAnswers } from "./known-answers.ts";
import { laterAnswers } from "./later-answers.ts";
import { scoreAnswers } from "./score.ts";

const sets: [name: string, answers: readonly LabelledAnswer[]][] = [
  ["known", knownAnswers],
  ["held-out", heldOutAnswers],
  ["fresh", freshAnswers],
  ["later", laterAnswers],
];

for (const [name, answers] of sets) {
  test(`of ${answers.length} ${name} labelled answers nothing is marked wrongly, and at most 1 in 10 is missed [D5]`, (t) => {
    const scores = scoreAnswers(answers);
    assert.deepEqual([...scores.keys()].toSorted(), ["change", "command", "count", "exit_code", "path", "quote"]);
    for (const [kind, { right, extra, missing }] of scores) {
      const recall = right / (right + missing.length);
      t.diagnostic(`${kind}: ${right} right, ${extra.length} extra, ${missing.length} missing`);
      assert.deepEqual(extra, [], kind);
      assert.ok(recall >= 0.9, `${kind}: ${missing.join("\n")}`);
    }
  });
}

test("the labelled answers are many, a quarter of them has nothing to mark, and every verdict occurs [D5]", () => {
  const all = [...knownAnswers, ...heldOutAnswers, ...freshAnswers];
  assert.ok(all.length >= 80);
  assert.ok(all.filter(({ claims }) => claims.length === 0).length >= all.length / 4);
  const verdicts = new Set(all.flatMap(({ claims }) => claims.map((claim) => claim.split(" ")[0])));
  assert.deepEqual(verdicts, new Set(["matched", "partial", "unmatched", "contradicted"]));
});

test("each claim names its call and says why [D5]", () => {
  const test12 = ran("npm test", "Tests:       12 passed, 12 total");
  const edit = edited("src/a.ts", "a", "b");
  const answer = "I updated `src/a.ts` and ran `npm test`: 12 tests passed. I also ran `npm run lint`.";
  assert.deepEqual(checkEvidence({ answer, executions: [edit, test12] }), {
    claims: [
      { kind: "command", text: "npm test", verdict: "matched", executionId: test12.id, why: "A call ran it." },
      {
        kind: "command",
        text: "npm run lint",
        verdict: "unmatched",
        executionId: null,
        why: "No call of this turn ran it.",
      },
      { kind: "change", text: "src/a.ts", verdict: "matched", executionId: edit.id, why: "A call changed this file." },
      {
        kind: "count",
        text: "12 tests passed",
        verdict: "matched",
        executionId: test12.id,
        why: "A run of tests says so.",
      },
    ],
  });
});

test("the quiet line says how many claims have a call, and names those that have none [D5]", () => {
  const executions = [ran("npm test", "Tests: 1 failed, 11 passed, 12 total", 1), read("src/a.ts", "x")];
  const answer = "I ran `npm test` and `npm run lint`. All tests pass. I read `src/a.ts`.";
  const report = checkEvidence({ answer, executions });
  assert.equal(
    describeEvidence(report),
    "evidence: 2 of 4 claims have a call; not found: `npm run lint`; the log says otherwise: `All tests pass`",
  );
  const lines = renderEvidence(report).split("\n");
  assert.equal(lines.length, 5);
  assert.equal(lines[2], "? command `npm run lint`: unmatched. No call of this turn ran it.");
  assert.equal(
    lines[4],
    `✗ count \`All tests pass\`: contradicted. The last run of tests failed (11 passed, 1 failed). [${executions[0]!.id}]`,
  );
  assert.equal(describeEvidence({ claims: [] }), "");
  const one = checkEvidence({ answer: "I ran `npm test`.", executions });
  assert.equal(describeEvidence(one), "evidence: 1 of 1 claim has a call");
});

test("a file that changed by other means counts as changed when it is known to be [D5]", () => {
  const answer = "I updated `src/generated/api.ts`.";
  const executions = [ran("./generate.sh", "done")];
  const without = checkEvidence({ answer, executions });
  const known = checkEvidence({ answer, executions, changedFiles: ["/w/src/generated/api.ts"] });
  assert.deepEqual(
    [without, known].map(({ claims }) => claims.map(({ verdict }) => verdict)),
    [["unmatched"], ["matched"]],
  );
});

/** `kind verdict text` of each claim. */
function judge(answer: string, executions: Parameters<typeof checkEvidence>[0]["executions"]): string[] {
  return checkEvidence({ answer, executions }).claims.map(({ kind, verdict, text }) => `${kind} ${verdict} ${text}`);
}

test("printing the words of a test runner is no run of tests [D5]", () => {
  const words = "Tests: 12 passed, 12 total";
  for (const command of [
    `echo '${words}'`,
    `printf '%s\\n' "${words}"`,
    "cat old-results.txt",
    `bash -c "echo '${words}'"`,
    `node -e "console.log('${words}')"`,
    "echo npm test; cat old-results.txt",
  ]) {
    assert.deepEqual(judge("12 tests passed.", [ran(command, words)]), ["count unmatched 12 tests passed"], command);
  }
  for (const command of ["./ci.sh", "npm test > out.txt; tail -3 out.txt", "cd app && npm test | tail -5"]) {
    assert.deepEqual(judge("12 tests passed.", [ran(command, words)]), ["count matched 12 tests passed"], command);
  }
});

test("a command behind && of one that failed, or behind ||, counts as run in part at most [D5]", () => {
  const answer = "I ran `npm run build`.";
  for (const [command, exitCode, verdict] of [
    ["false && npm run build", 1, "partial"],
    ["cd app && npm run build | tail -3", 1, "partial"],
    ["true || npm run build", 0, "partial"],
    ["cd app && npm run build", 0, "matched"],
    ["false; npm run build", 1, "matched"],
    ["npm run build && npm test", 1, "matched"],
  ] as const) {
    assert.deepEqual(judge(answer, [ran(command, "", exitCode)]), [`command ${verdict} npm run build`], command);
  }
});

test("what was deployed with a command, errors of a test run and Korean runs of tests are looked at [D5]", () => {
  const green = ran("pytest", "==== 7 passed in 0.10s ====");
  const red = ran("pytest", "==== 6 passed, 1 failed in 0.10s ====", 1);
  assert.deepEqual(judge("I deployed the service with `kubectl apply -f prod.yaml`.", [green]), [
    "command unmatched kubectl apply -f prod.yaml",
  ]);
  assert.deepEqual(judge("It is deployed with `kubectl apply -f prod.yaml`.", [green]), []);
  assert.deepEqual(judge("7 tests passed, 0 errors.", [green]), [
    "count matched 7 tests passed",
    "count matched 0 errors",
  ]);
  assert.deepEqual(judge("7 tests passed, 0 errors.", []), [
    "count unmatched 7 tests passed",
    "count unmatched 0 errors",
  ]);
  const korean = "테스트를 실행했고 모두 통과";
  assert.deepEqual(judge(`${korean}했습니다.`, []), [`count unmatched ${korean}`]);
  assert.deepEqual(judge(`${korean}했습니다.`, [red]), [`count contradicted ${korean}`]);
  assert.deepEqual(judge(`${korean}했습니다.`, [green]), [`count matched ${korean}`]);
});

test("a runner's last words are read, whichever runner it is [D5]", () => {
  const outputs: [output: string, passed: number, failed: number][] = [
    ["Test Suites: 2 passed, 2 total\nTests:       1 failed, 2 skipped, 40 passed, 43 total", 40, 1],
    [" Test Files  1 failed | 3 passed (4)\n      Tests  2 failed | 38 passed (40)", 38, 2],
    ["# tests 5\n# pass 4\n# fail 1", 4, 1],
    ["ℹ tests 5\nℹ pass 5\nℹ fail 0", 5, 0],
    ["test result: ok. 3 passed; 0 failed; 0 ignored\ntest result: FAILED. 4 passed; 1 failed; 0 ignored", 7, 1],
    ["====== 1 failed, 8 passed, 2 skipped in 1.20s ======", 8, 1],
    ["==== 3 passed, 1 error in 0.10s ====", 3, 1],
    ["Ran 6 tests in 0.004s\n\nFAILED (failures=1, errors=1)", 4, 2],
    ["Ran 6 tests in 0.004s\n\nOK", 6, 0],
    ["12 examples, 2 failures", 10, 2],
    ["  8 passing (40ms)\n  2 failing", 8, 2],
  ];
  for (const [output, passed, failed] of outputs) {
    const answer = `${passed} passed, ${failed} failed.`;
    const { claims } = checkEvidence({ answer, executions: [ran("./run-tests", output, failed === 0 ? 0 : 1)] });
    assert.deepEqual(
      claims.map(({ text, verdict }) => `${text} ${verdict}`),
      [`${passed} passed matched`, `${failed} failed matched`],
      output,
    );
  }
});

test("no answer makes it throw, and the same answer always gives the same report [D5]", () => {
  const executions = [ran("npm test && git commit -m 'a b'", "3 passed"), wrote("src/a.ts", "x"), read("b/c.md", "y")];
  const words = fc.constantFrom(
    ...'I ran `npm test` ` `` ``` ```\n $ created `src/a.ts` `b/c.md:3` 12 tests pass all failed: - # | > exit code 1 " “ ” … \u0001 if you 실행했습니다 . , \n'.split(
      " ",
    ),
    "\n",
  );
  const answers = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.array(words, { maxLength: 60 }).map((all) => all.join(" ")),
  );
  fc.assert(
    fc.property(answers, (answer) => {
      const report = checkEvidence({ answer, executions });
      assert.deepEqual(checkEvidence({ answer, executions }), report);
      assert.equal(typeof renderEvidence(report), "string");
    }),
    { numRuns: count({ quick: 300, full: 20_000 }) },
  );
});

test("an answer made to take long is read before a deadline that only a runaway search misses [D5]", () => {
  const module = new URL("../../../src/agent/evidence/check-evidence.ts", import.meta.url).href;
  const program = `
    const { checkEvidence } = await import(${JSON.stringify(module)});
    for (const piece of ["\`", "\`a ", "a/", "\`\`\`\\n", "1 ", '"', "I ran ", "tests pass ", "(", ": not ", "\`a/b.ts\`, ", "created "]) {
      for (const line of ["", "\\n"]) {
        const answer = (piece.repeat(400) + line).repeat(200_000 / piece.length / 400);
        checkEvidence({ answer, executions: [] });
      }
    }`;
  const { status, signal, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    timeout: 100_000,
    encoding: "utf8",
  });
  assert.deepEqual([status, signal], [0, null], stderr);
});
