import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { Runtime } from "../../../src/runtime/create-runtime.ts";
import { isolatedEnvironment, openRuntime, until } from "../../support/runtime.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { improve, mended, recordCalls, replying } from "./improve-bench.ts";

/** An agent that keeps what it was asked and how many files it found, and replies with its files one after the other. */
async function openBench(t: TestContext, replies: readonly string[]): Promise<{ runtime: Runtime; home: string }> {
  const home = await temporaryFolder(t);
  for (const [index, reply] of replies.entries()) await writeFile(join(home, `reply-${index + 1}`), reply);
  const script = `n=$(($(ls ${home}/asked-* 2>/dev/null | wc -l) + 1)); ls -A | wc -l > ${home}/found-$n; cat > ${home}/asked-$n; cat ${home}/reply-$n`;
  await recordCalls({ workdir: home, env: isolatedEnvironment(home) });
  const settings = { agents: { mender: { command: ["sh", "-c", script] as [string, ...string[]] } } };
  return { home, runtime: await openRuntime(t, { home, settings }) };
}

const mender = { agent: { name: "mender", model: null } };

test("a background agent proposes the patch, in an empty folder, and the same checks judge it [V7]", async (t) => {
  const { runtime, home } = await openBench(t, ["I would rather not.\n", replying(mended)]);
  const { improvement, requests, refusals } = await improve(runtime, ["unused", "unused"], mender);
  assert.equal(improvement.outcome, "passed", improvement.sentence);
  assert.deepEqual(refusals, ["There is no fenced block with the new file in the reply."]);
  assert.deepEqual(requests, []);
  assert.equal((await readFile(join(home, "found-1"), "utf8")).trim(), "0");
  const first = await readFile(join(home, "asked-1"), "utf8");
  assert.match(first, /^You mend one tool file of a program\..*\n[\s\S]*<tool_file path="tools\/initials.ts">/);
  const second = await readFile(join(home, "asked-2"), "utf8");
  assert.match(
    second,
    /<tool_file[\s\S]*You replied:\s+I would rather not\.[\s\S]*This can't be used:\n- There is no fenced/,
  );
  // Of where it worked nothing is left; what it proposed is.
  const staged = await readdir(join(home, ".deckhand", "staging", "initials"));
  assert.deepEqual(
    staged.filter((name) => !/^[0-9a-f]{64}\.ts$/.test(name)),
    [],
  );
  assert.equal(staged.length, 1);
});

test("an agent that fails, or is none, proposes nothing, and that is told [V7]", async (t) => {
  const { runtime } = await openBench(t, []);
  const { improvement } = await improve(runtime, ["unused"], mender);
  assert.equal(improvement.outcome, "refused");
  assert.match(improvement.sentence, /^mender gave no answer: /);
  await assert.rejects(improve(runtime, ["unused"], { agent: { name: "mendr", model: null } }), {
    code: "TASK_INVALID",
    message: /^Unknown agent "mendr"\. Did you mean "mender"\?/,
  });
});

test("stopping improve ends the agent that was to propose [V7]", async (t) => {
  const home = await temporaryFolder(t);
  await recordCalls({ workdir: home, env: isolatedEnvironment(home) });
  const settings = { agents: { mender: { command: ["sleep", "1000"] as [string, ...string[]] } } };
  const runtime = await openRuntime(t, { home, settings });
  const stop = new AbortController();
  const improving = improve(runtime, ["unused"], { ...mender, signal: stop.signal });
  const tasks = await runtime.tasks();
  const isRunning = async () => (await tasks.list({ limit: 1 }))[0]?.process;
  await until("it runs", isRunning, 60_000);
  stop.abort();
  assert.equal((await improving).improvement.outcome, "stopped");
  const [task] = await tasks.list({ limit: 1 });
  assert.deepEqual([task?.state, task?.error], ["cancelled", "Cancelled: improve was stopped"]);
});
