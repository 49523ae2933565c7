import assert from "node:assert/strict";
import { test } from "node:test";
import { formatResult } from "../../../src/agent/context/result-text.ts";
import type { Execution } from "../../../src/core/call.ts";

const options = { maxCharacters: 10_000, spill: () => Promise.reject(new Error("nothing to spill here")) };

test("a result within the limit comes as it is, and an empty one says so [L5]", async () => {
  const whole = "x".repeat(10_000);
  assert.deepEqual(await formatResult(completed({ ok: true, output: whole }), options), {
    text: whole,
    isError: false,
  });
  const empty = await formatResult(completed({ ok: true, output: "\n" }), options);
  assert.deepEqual(empty, { text: "(no output)", isError: false });
});

test("a long output keeps head and tail, says how many characters were cut and where the whole is [L5]", async () => {
  const output = `HEAD${"x".repeat(50_000)}TAIL`;
  const spilled: string[] = [];
  const spill = (text: string): Promise<string> => {
    spilled.push(text);
    return Promise.resolve("/state/outputs/exe_1.txt");
  };
  const { text, isError } = await formatResult(completed({ ok: true, output }), { maxCharacters: 10_000, spill });
  assert.equal(isError, false);
  assert.deepEqual(spilled, [output]);
  assert.match(
    text,
    /^HEADx+\n… \[(\d+) characters cut\] …\nx+TAIL\n\[Cut\. The whole output, 50,008 characters, is in \/state\/outputs\/exe_1\.txt\./,
  );
  const cut = Number(/\[(\d+) characters cut\]/.exec(text)?.[1]);
  assert.equal((text.match(/x/g)?.length ?? 0) + cut, 50_000 + (text.split("\n").at(-1)?.match(/x/g)?.length ?? 0));
  assert.ok(text.split("\n[Cut.")[0]!.length <= 10_000);
});

test("a file in which the tool kept its whole output is named; files that it changed are not [L5]", async () => {
  const output = "y".repeat(20_000);
  const spill = (): Promise<string> => Promise.resolve("spilled.txt");
  const kept = completed({ ok: true, output, files: ["out.stdout.txt"], outputBytes: 5_000_000 });
  assert.match(
    (await formatResult(kept, { maxCharacters: 500, spill })).text,
    /\[Cut\. The whole output is in out\.stdout\.txt\. .*spilled\.txt/,
  );
  const changed = completed({ ok: true, output, files: ["src/a.ts"] });
  const { text } = await formatResult(changed, { maxCharacters: 500, spill });
  assert.match(text, /is in spilled\.txt/);
  assert.doesNotMatch(text, /src\/a\.ts/);
});

test("when nothing can be kept the cut result says so [L5]", async () => {
  const long = completed({ ok: true, output: "z".repeat(20_000) });
  const { text } = await formatResult(long, { maxCharacters: 1_000, spill: () => Promise.resolve(null) });
  assert.match(
    text,
    /\[Cut\. The whole output had 20,000 characters and could not be kept: run it again with less output\.\]$/,
  );
});

test("a failed result is Error, hint and output, cut as well [L5][L10]", async () => {
  const failed = execution({
    state: "failed",
    error: "Command exited with code 1",
    errorType: "exit_code",
    result: { ok: false, error: "Command exited with code 1", hint: "Check its name.", output: "e".repeat(30_000) },
    note: "[FAILED after retries] Command exited with code 1",
  });
  const { text, isError } = await formatResult(failed, {
    maxCharacters: 2_000,
    spill: () => Promise.resolve("all.txt"),
  });
  assert.equal(isError, true);
  assert.match(
    text,
    /^Error: Command exited with code 1\nHint: Check its name\.\nOutput:\ne+\n… \[\d+ characters cut\] …/,
  );
  assert.match(text, /is in all\.txt/);
  assert.match(text, /\n\[FAILED after retries\] Command exited with code 1$/);
  assert.ok(text.length < 2_500);
});

test("a refusal, a cancel, a timeout and an unknown outcome tell the model what to do next [L5]", async () => {
  const textOf = async (some: Partial<Execution>): Promise<string> =>
    (await formatResult(execution(some), options)).text;
  assert.match(
    await textOf({ state: "cancelled", error: "User denied permission", errorType: "denied", runPhase: "not_started" }),
    /^Error: User denied permission\.\nIt was not run\. Do not try to reach the same by another way/,
  );
  assert.match(
    await textOf({
      state: "cancelled",
      error: "Cancelled by the person",
      errorType: "cancelled",
      runPhase: "not_started",
    }),
    /stopped before it started; nothing was changed/,
  );
  const partly = { ok: false, error: "stopped", output: "step 1 done" } as const;
  assert.match(
    await textOf({
      state: "cancelled",
      error: "Cancelled",
      errorType: "cancelled",
      runPhase: "returned",
      result: partly,
    }),
    /a part of it may be done\. Look at what it left[\s\S]*Output until then:\nstep 1 done$/,
  );
  assert.match(
    await textOf({ state: "timeout", error: "Timeout after 30 s", errorType: "timeout", runPhase: "returned" }),
    /^Error: Timeout after 30 s\nIt was stopped: .*allow it more time/,
  );
  assert.match(
    await textOf({ state: "failed", error: "The runtime ended", errorType: "runtime_lost", runPhase: "started" }),
    /Whether it did its work is not known\. Look before you repeat it\./,
  );
});

function completed(result: NonNullable<Execution["result"]>): Execution {
  return execution({ state: "completed", result });
}

function execution(some: Partial<Execution>): Execution {
  return {
    id: "exe_1",
    toolName: "bash",
    toolId: "bash",
    toolInput: {},
    state: "completed",
    runPhase: "returned",
    result: null,
    error: null,
    errorType: null,
    note: null,
    createdAt: 0,
    startedAt: 0,
    completedAt: 0,
    durationMs: 0,
    attempt: 1,
    timeoutMs: 30_000,
    idleMs: null,
    version: "builtin",
    route: "stable",
    canaryBucket: null,
    door: "agent",
    conversationId: "ses_1",
    turn: 1,
    parentId: null,
    batchId: null,
    outputBytes: 0,
    stopCause: null,
    stopProof: null,
    killed: [],
    survivors: [],
    owner: null,
    permission: null,
    sandbox: null,
    ...some,
  };
}
