import assert from "node:assert/strict";
import { mkdir, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { textOfParts } from "../../../src/core/message.ts";
import type { Settings } from "../../../src/config/settings.ts";
import type { Runtime } from "../../../src/runtime/create-runtime.ts";
import { openToolBench } from "../support.ts";
import { improve, initials, mended, recordCalls, replying } from "./improve-bench.ts";

interface Bench {
  readonly runtime: Runtime;
  readonly workdir: string;
  /** The tool's file. */
  readonly path: string;
}

async function openBench(t: TestContext, failing?: readonly object[], settings?: Settings): Promise<Bench> {
  const bench = await openToolBench(t);
  const { home: workdir, env } = bench;
  await recordCalls({ workdir, env, ...(failing ? { failing } : {}) });
  return {
    runtime: await bench.open(settings ? { settings } : {}),
    workdir,
    path: join(workdir, "tools", "initials.ts"),
  };
}

const breaking = mended.replace("letters.toLowerCase()", "letters.missing()");

/** By the check that must refuse it, and what it must say. */
const wrong = [
  { what: "prose without code", reply: "I would add a default.", check: "reply", says: /There is no fenced block/ },
  { what: "2 MB", content: `${mended}//${"x".repeat(2 * 1024 * 1024)}\n`, check: "reply", says: /larger than 1 MB/ },
  { what: "the same content", content: initials, check: "change", says: /the present version, unchanged/ },
  {
    what: "one that starts processes",
    content: `import { execSync } from "node:child_process";\nexecSync("touch ran");\n${mended}`,
    check: "reach",
    says: /It reaches what the present version does not: child_process\./,
  },
  { what: "a syntax error", content: mended.replace("return {", "return {{"), check: "load", says: /^Line 1[0-9]: / },
  {
    what: "another name",
    content: mended.replace('"initials"', '"letters"'),
    check: "name",
    says: /It calls itself letters; the name must stay initials\./,
  },
  {
    what: "a schema that takes less",
    content: mended.replace('["upper", "lower"]', '["upper"]'),
    check: "schema",
    says: /the value "lower" is not taken any more/,
  },
  {
    what: "widened traits",
    content: mended.replace("read_only: true", 'read_only: true, offered_in: ["chat"]'),
    check: "promises",
    says: /It offers itself in chat, and did not\./,
  },
  {
    what: "a changed case",
    content: mended.replace('expect: "AL"', 'expect: "A"'),
    check: "promises",
    says: /It changes or removes the case "two words"\./,
  },
  {
    what: "one that breaks a recorded call",
    content: breaking,
    check: "cases",
    says: /1 of what worked before fails now\. call_/,
  },
  {
    what: "one that breaks a case of the file",
    content: mended.replace("word[0]", "word[1]"),
    check: "cases",
    says: /two words: Expected an output with the text "AL"; got "DO"\./,
  },
  {
    what: "one that hangs",
    content: mended.replace("  const letters", '  while (style === "lower") {}\n  const letters'),
    check: "cases",
    says: /It took longer than 5 s\./,
  },
  {
    what: "one that mends nothing",
    content: `// Better now.\n${initials}`,
    check: "failures",
    says: /It mends nothing: none of the 3 recorded failures passes with it\./,
  },
];

test("a wrong patch is refused with its reason, and nothing is changed or started [V7]", async (t) => {
  const { runtime, path, workdir } = await openBench(t);
  for (const { what, reply, content, check, says } of wrong) {
    await t.test(what, async () => {
      const { improvement } = await improve(runtime, [reply ?? replying(content)], { isDryRun: false });
      const last = improvement.attempts.at(-1)!.checks.at(-1)!;
      const outcome = check === "reach" ? "declined" : "refused";
      assert.deepEqual([improvement.outcome, last.check, last.state], [outcome, check, "failed"], last.detail);
      assert.match(last.detail, says);
      assert.ok(improvement.sentence.includes(last.detail), improvement.sentence);
      assert.equal(improvement.rolloutId, null);
      assert.equal(await readFile(path, "utf8"), initials);
      await assert.rejects(stat(join(workdir, "ran")), { code: "ENOENT" });
    });
  }
});

test("the model sees file and failures, has no tools, and never sees the calls that it is tried with [V7]", async (t) => {
  const { runtime } = await openBench(t);
  const { improvement, requests, refusals } = await improve(runtime, [replying(breaking), "Sorry.", replying(mended)]);
  assert.equal(improvement.outcome, "passed", improvement.sentence);
  assert.equal(requests.length, 3);
  assert.deepEqual(
    requests.map(({ tools, toolChoice }) => [tools, toolChoice]),
    Array(3).fill([[], "none"]),
  );
  const said = requests.at(-1)!.messages.map((message) => (message.role === "tool" ? "" : textOfParts(message.parts)));
  assert.match(said[0]!, /<tool_file path="tools\/initials\.ts">\nexport const TOOL_SPEC = /);
  assert.match(
    said[0]!,
    /<failure times="3">\ninput: \{"name":"Kurt"\}\nerror \(threw\): Cannot read properties of undefined/,
  );
  assert.match(said[2]!, /1 of the recorded calls worked with the present version and fail with yours\./);
  assert.match(said[4]!, /There is no fenced block/);
  assert.doesNotMatch(said.join("\n"), /Emmy Noether|ada lovelace/);
  assert.equal(refusals.length, 2);
  assert.match(refusals[0]!, /call_.*letters\.missing is not a function/);
});

test("what is masked in a failure can't be tried, and that is said [V7]", async (t) => {
  const { runtime } = await openBench(t, [{ name: "Grace", token: "ghp_0123456789abcdefghijABCDEFGHIJ012345" }]);
  const { improvement, requests } = await improve(runtime, [replying(mended)]);
  const last = improvement.attempts.at(-1)!.checks.at(-1)!;
  assert.deepEqual([improvement.outcome, last.check, last.state], ["passed", "failures", "not_checked"]);
  assert.match(last.detail, /have masked secrets or were cut/);
  assert.match(JSON.stringify(requests), /Grace.*MASKED/);
  assert.doesNotMatch(JSON.stringify(requests), /ghp_/);
});

test("with a compiler in the workdir, types that do not fit are refused [V7]", async (t) => {
  // The compiler may lie below /tmp, of which the sandbox has its own.
  const { runtime, workdir } = await openBench(t, undefined, { sandbox: "off", permissions: { allow: ["*"] } });
  await mkdir(join(workdir, "node_modules", ".bin"), { recursive: true });
  const compiler = join(import.meta.dirname, "..", "..", "..", "node_modules", ".bin", "tsc");
  await symlink(compiler, join(workdir, "node_modules", ".bin", "tsc"));
  const wrongType = mended.replace("const shown =", "const shown: number =");
  const { improvement, refusals } = await improve(runtime, [replying(wrongType), replying(mended)]);
  assert.match(
    refusals[0] ?? JSON.stringify(improvement.attempts),
    /initials\.ts\(\d+,\d+\): error TS2322: Type 'string' is not assignable to type 'number'/,
  );
  const types = improvement.attempts.at(-1)!.checks.find(({ check }) => check === "types");
  assert.deepEqual(types, { check: "types", state: "passed", detail: "The compiler has no complaint." });
});

test("who says no to what passed, or stops it, starts nothing [V7]", async (t) => {
  const { runtime } = await openBench(t);
  const no = await improve(runtime, [replying(mended)], { isDryRun: false, confirm: async () => false });
  assert.deepEqual([no.improvement.outcome, no.improvement.rolloutId], ["declined", null]);
  const stop = new AbortController();
  const onStep = (step: string): void => {
    if (step.startsWith("checking")) stop.abort();
  };
  const stopped = await improve(runtime, [replying(mended)], { isDryRun: false, signal: stop.signal, onStep });
  assert.deepEqual([stopped.improvement.outcome, stopped.improvement.rolloutId], ["stopped", null]);
  const hosts = await runtime.rollouts();
  assert.deepEqual(
    (await hosts.list("initials")).map(({ canary }) => canary),
    [null],
  );
});

test("a content that was rolled back is not proposed again [V7, V5]", async (t) => {
  const { runtime } = await openBench(t);
  const started = await improve(runtime, [replying(mended)], { isDryRun: false });
  assert.equal(started.improvement.outcome, "started", started.improvement.sentence);
  await (await runtime.rollouts()).rollback("initials", { kind: "soft", reason: "kim does not like it" });
  const { improvement } = await improve(runtime, [replying(mended)], { isDryRun: false });
  assert.equal(improvement.outcome, "refused");
  assert.match(improvement.sentence, /This very content was rolled back before: .*kim does not like it/);
});
