import assert from "node:assert/strict";
import { test } from "node:test";
import type { Execution } from "../../src/core/call.ts";
import type { Mask } from "../../src/core/mask.ts";
import { createRecordingLedger, looseTool, setUpEngine, settleDown } from "../support/engine.ts";

const secret = "hunter2";
const leaky = looseTool({
  name: "leaky",
  run(input, context) {
    context.progress({ output: `out ${secret}` });
    context.progress({ message: `message ${secret}` });
    context.stopped({
      proof: "marker",
      killed: [{ pid: 1, command: `login ${secret}` }],
      survivors: [{ pid: 2, command: `stay ${secret}` }],
    });
    return Promise.resolve(
      input["fails"] === true
        ? { ok: false, error: `bad ${secret}`, hint: secret, output: secret }
        : { ok: true, output: `good ${secret}`, data: { secret } },
    );
  },
});
const calls = [
  { tool: "leaky", input: { password: secret } },
  { tool: "leaky", input: { password: secret, fails: true } },
];

const hide = (text: string): string => text.replaceAll(secret, "***");
const masks: readonly (readonly [string, Mask])[] = [
  ["works", { execution: (execution) => JSON.parse(hide(JSON.stringify(execution))) as Execution, text: hide }],
  [
    "throws",
    {
      execution() {
        throw new Error(`can't mask ${secret}`);
      },
      text() {
        throw new Error(`can't mask ${secret}`);
      },
    },
  ],
  ["gives nothing back", { execution: () => undefined as never, text: () => "" }],
];
for (const [how, mask] of masks) {
  test(`with a mask that ${how}, no secret reaches record, event or query, and the caller gets the raw result [E2 E8]`, async () => {
    const ledger = createRecordingLedger({
      settled: () => Promise.reject(new Error(`can't store ${secret}`)),
    });
    const { engine, events } = setUpEngine({
      tools: [leaky],
      mask,
      ledger,
      permit: () => Promise.resolve({ decision: "allow" }),
    });
    const seenUnderWay: Execution[] = [];
    const executions: Execution[] = [];
    for (const call of calls) {
      const running = engine.call(call);
      seenUnderWay.push(engine.get(running.id)!, ...engine.underWay());
      executions.push(await running);
    }
    await settleDown();
    const [good, bad] = executions;
    assert.deepEqual([good!.state, good!.result?.output], ["completed", `good ${secret}`]);
    assert.deepEqual([bad!.state, bad!.error], ["failed", `bad ${secret}`]);

    const written = [...ledger.waitingFor, ...ledger.openedWith, ...ledger.settledWith];
    const asked = [...engine.finished(10), engine.get(good!.id), engine.get(bad!.id), ...seenUnderWay];
    assert.equal(written.length, 6);
    assert.equal(asked.length, 8);
    for (const told of [...written, ...asked, ...events]) {
      assert.ok(!JSON.stringify(told).includes(secret), JSON.stringify(told));
    }
    assert.equal(events.filter(({ type }) => type === "execution:settled").length, 2);
    assert.deepEqual(
      engine.finished(10).map(({ state }) => state),
      ["failed", "completed"],
    );
  });
}

test("pieces of output are masked as one text for each stream, and the rest comes before the end [E8]", async () => {
  const { engine, events, eventsOf } = setUpEngine({
    tools: [
      looseTool({
        name: "chatty",
        run(_input, context) {
          for (const output of ["one hun", "ter", "2 two"]) context.progress({ output, stream: "stdout" });
          context.progress({ output: "hunter", stream: "stderr" });
          context.progress({ message: "still alive" });
          return Promise.resolve({ ok: true, output: "" });
        },
      }),
    ],
    mask: { execution: (execution) => execution, text: hide, stream: holdAll },
  });
  await engine.call({ tool: "chatty", input: {} });
  const told = eventsOf("execution:progressed").map(({ progress }) => progress);
  const outputOf = (stream: string): string =>
    told.filter((progress) => progress.stream === stream).reduce((all, { output }) => all + (output ?? ""), "");
  assert.equal(outputOf("stdout"), "one *** two");
  assert.equal(outputOf("stderr"), "hunter");
  assert.equal(told.filter(({ message }) => message === "still alive").length, 1);
  assert.equal(events.at(-1)!.type, "execution:settled");
});

test("a stream that breaks says so once and tells nothing more [E2]", async () => {
  const breaks = (): never => {
    throw new Error(`can't mask ${secret}`);
  };
  const { engine, eventsOf } = setUpEngine({
    tools: [leaky],
    mask: { execution: (execution) => execution, text: hide, stream: () => ({ push: breaks, end: breaks }) },
  });
  assert.equal((await engine.call(calls[0]!)).state, "completed");
  const [first, ...others] = eventsOf("execution:progressed").map(({ progress }) => progress.output);
  assert.deepEqual([first, others], ["[withheld: masking failed]", [undefined]]);
});

function holdAll(): { push(piece: string): string; end(): string } {
  let held = "";
  return {
    push(piece) {
      held += piece;
      return "";
    },
    end: () => hide(held),
  };
}
