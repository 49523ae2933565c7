import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/runtime.ts";
import { openToolBench, saying, type ToolBench } from "./support.ts";

/** Says that it is inside, waits, and fails. */
function failing(traits: unknown): string {
  return `import { existsSync, writeFileSync } from "node:fs";
export const TOOL_SPEC = ${JSON.stringify({
    name: "say",
    description: "Say a word.",
    input_schema: { type: "object", properties: {} },
    traits,
  })};
export async function run(input, { workdir }) {
  writeFileSync(workdir + "/entered", "");
  while (!existsSync(workdir + "/go")) await new Promise((resolve) => setTimeout(resolve, 10));
  return { ok: false, error: "the old one failed" };
}
`;
}

async function callAndEdit(bench: ToolBench, edited: string) {
  const runtime = await bench.open();
  const call = runtime.call("say", {});
  await until("the call is inside", () => existsSync(join(bench.home, "entered")));
  await bench.save("say.ts", edited);
  await writeFile(join(bench.home, "go"), "");
  return { execution: await call, current: runtime.tools.resolve("say")?.version };
}

test("a call that fails on a file that was changed meanwhile runs once more on the new version, when that is safe [C3]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": failing({ read_only: true }) });
  const { execution, current } = await callAndEdit(bench, saying("mended"));
  assert.equal(execution.result?.output, "mended");
  assert.equal(execution.version, current);
});

test("a call that may have changed something is not run again [C3]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": failing({}) });
  const { execution } = await callAndEdit(bench, saying("mended", { traits: {} }));
  assert.equal(execution.state, "failed");
  assert.equal(execution.error, "the old one failed");
});

test("a new version that promises less is not what was allowed, so the call is not run again on it [C3]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": failing({ read_only: true }) });
  const { execution } = await callAndEdit(bench, saying("mended", { traits: {} }));
  assert.equal(execution.error, "the old one failed");
});

test("a call whose tool is still being loaded has its id, and can be cancelled [C3]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": saying("one") });
  const runtime = await bench.open();
  await bench.save("say.ts", saying("two"));
  const call = runtime.call("say", {});
  assert.equal(await runtime.cancel(call.id, "not any more"), true);
  const { id, state, error } = await call;
  assert.deepEqual([id, state, error], [call.id, "cancelled", "not any more"]);
});

test("a call whose run was not entered says so in its record, whatever kept it out [C3]", async (t) => {
  const strict = { type: "object", properties: { size: { type: "integer", minimum: 1 } } };
  const bench = await openToolBench(t, {
    "say.ts": saying("said", { input_schema: strict }),
    "unmade.ts": saying("x", { name: "unmade" }).replace(
      "export const run",
      'export const create = () => { throw new Error("no database"); };\nconst unused',
    ),
    "throws.ts": saying("x", { name: "throws" }).replace(/=> .*/, '=> { throw new Error("inside"); };'),
  });
  const runtime = await bench.open();
  const ends: unknown[] = [];
  for (const [tool, input] of [
    ["say", { size: 1 }],
    ["say", { size: 0 }],
    ["unmade", {}],
    ["throws", {}],
  ] as const) {
    const { id, state, errorType, runPhase } = await runtime.call(tool, input);
    ends.push([tool, state, errorType, runPhase]);
    assert.equal((await runtime.get(id))?.runPhase, runPhase);
  }
  assert.deepEqual(ends, [
    ["say", "completed", null, "returned"],
    ["say", "failed", "invalid_input", "not_started"],
    ["unmade", "failed", "threw", "not_started"],
    ["throws", "failed", "threw", "returned"],
  ]);
});

test("an input that only the new version takes runs there, and counts as run [C3]", async (t) => {
  const taking = (minimum: number, word: string): string =>
    saying(word, { input_schema: { type: "object", properties: { size: { type: "integer", minimum } } }, traits: {} });
  const bench = await openToolBench(t, { "say.ts": taking(5, "old") });
  let isEdited = false;
  const runtime = await bench.open({
    // Between the choice of the version and the run: the last moment in which somebody can save.
    async permit() {
      if (!isEdited) await bench.save("say.ts", taking(1, "new"));
      isEdited = true;
      return { decision: "allow" };
    },
  });
  const { result, runPhase, version } = await runtime.call("say", { size: 2 });
  assert.deepEqual([result?.output, runPhase], ["new", "returned"]);
  assert.equal(version, runtime.tools.resolve("say")?.version);
});
