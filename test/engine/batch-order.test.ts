import assert from "node:assert/strict";
import { test } from "node:test";
import type { Access, Resource } from "../../src/core/tool.ts";
import { setUpEngine, settleDown, type EngineUnderTest } from "../support/engine.ts";
import { createLatchTool, type LatchTool } from "../support/latch-tool.ts";

interface Running extends EngineUnderTest {
  readonly latch: LatchTool;
  readonly look: LatchTool;
}

/** An engine with two tools whose calls end when told: `latch` changes what it says, `look` only reads. */
function setUp(maxParallel = 12): Running {
  const latch = createLatchTool();
  const look = createLatchTool({ name: "look", traits: { readOnly: true } });
  return { ...setUpEngine({ tools: [latch.tool, look.tool], workdir: "/w", limits: { maxParallel } }), latch, look };
}

const path = (name: string, access: Access): Resource => ({ kind: "path", path: name, access });
const everything = (access: Access): Resource => ({ kind: "everything", access });

/** Which pairs must keep their order? Each is tried both ways round. */
const pairs: readonly (readonly [string, readonly Resource[], readonly Resource[], "overlap" | "order"])[] = [
  ["two reads of one file", [path("a", "read")], [path("a", "read")], "overlap"],
  ["a read and a write of one file", [path("a", "read")], [path("a", "write")], "order"],
  ["two writes of one file", [path("a", "write")], [path("a", "write")], "order"],
  ["writes of two files", [path("a", "write")], [path("b", "write")], "overlap"],
  ["writes of two files in one folder", [path("d/a", "write")], [path("d/b", "write")], "overlap"],
  ["a file and the folder above it", [path("d/a", "write")], [path("d", "read")], "order"],
  ["a file and the root", [path("d/a", "write")], [path("/", "read")], "order"],
  ["a read and a list above it", [path("d/a", "read")], [path("d", "read")], "overlap"],
  ["names that only begin alike", [path("dir", "write")], [path("directory", "write")], "overlap"],
  ["one file by two spellings", [path("d/../a", "write")], [path("./a", "read")], "order"],
  ["one file by a relative and an absolute path", [path("a", "write")], [path("/w/a", "read")], "order"],
  ["the workdir by its empty path", [path("", "read")], [path("a", "write")], "order"],
  ["a path and a name of the same letters", [path("a", "write")], [name("a", "write")], "overlap"],
  ["one name twice", [name("port:3000", "write")], [name("port:3000", "read")], "order"],
  ["two names", [name("port:3000", "write")], [name("port:3001", "write")], "overlap"],
  ["reading everything and reading a file", [everything("read")], [path("a", "read")], "overlap"],
  ["reading everything and writing a file", [everything("read")], [path("a", "write")], "order"],
  ["reading everything and writing a name", [everything("read")], [name("n", "write")], "order"],
  ["writing everything and nothing at all", [everything("write")], [], "order"],
  ["nothing and nothing", [], [], "overlap"],
  ["one of several files", [path("a", "read"), path("b", "write")], [path("c", "read"), path("b", "read")], "order"],
];
function name(text: string, access: Access): Resource {
  return { kind: "name", name: text, access };
}
for (const [what, first, second, expected] of pairs) {
  test(`${what}: ${expected === "order" ? "the model's order is kept" : "they overlap"} [P3]`, async () => {
    for (const [one, two] of [
      [first, second],
      [second, first],
    ] as const) {
      const { engine, latch } = setUp();
      const batch = engine.openBatch({});
      batch.add({ tool: "latch", input: { name: "one", touches: one } });
      batch.add({ tool: "latch", input: { name: "two", touches: two } });
      const ended = batch.end();
      await latch.runs("one");
      await settleDown();
      assert.deepEqual([...latch.running], expected === "order" ? ["one"] : ["one", "two"]);
      latch.finish("one");
      await latch.runs("two");
      latch.finish("two");
      assert.deepEqual(
        (await ended).map(({ state }) => state),
        ["completed", "completed"],
      );
    }
  });
}

test("results come in the model's order, whatever finished first [P5]", async () => {
  const { engine, latch } = setUp();
  const names = ["a", "b", "c", "d", "e"];
  const batch = engine.openBatch({});
  for (const each of names) batch.add({ tool: "latch", input: { name: each } });
  const ended = batch.end();
  for (const each of names.toReversed()) {
    await latch.runs(each);
    latch.finish(each);
    await settleDown();
  }
  assert.deepEqual(
    (await ended).map(({ result }) => result?.output),
    names,
  );
});

test("one failure cancels nobody [P3 P5]", async () => {
  const { engine, latch } = setUp();
  const batch = engine.openBatch({});
  const input = (each: string) => ({ name: each, touches: [path("same", "write")] });
  for (const each of ["a", "b", "c"]) batch.add({ tool: "latch", input: input(each) });
  batch.add({ tool: "nobody" });
  const ended = batch.end();
  latch.finish("a", { ok: false, error: "broken" });
  latch.finish("b");
  latch.finish("c");
  assert.deepEqual(
    (await ended).map(({ state, error }) => [state, error]),
    [
      ["failed", "broken"],
      ["completed", null],
      ["completed", null],
      ["failed", "Unknown tool: nobody"],
    ],
  );
});

test("a chain of conflicting calls runs in the model's order [P3]", async () => {
  const { engine, latch } = setUp();
  const names = Array.from({ length: 30 }, (_, at) => `call ${at}`);
  latch.finishAll();
  const batch = engine.openBatch({});
  for (const each of names) batch.add({ tool: "latch", input: { name: each, touches: [path("same", "write")] } });
  await batch.end();
  assert.deepEqual(latch.started, names);
  assert.equal(latch.peak, 1);
});

test("a call that may write anything lets all before it finish, and those behind it wait for it [P3]", async () => {
  const { engine, latch, look } = setUp();
  const batch = engine.openBatch({});
  batch.add({ tool: "look", input: { name: "before 1" } });
  batch.add({ tool: "look", input: { name: "before 2" } });
  batch.add({ tool: "latch", input: { name: "shell", touches: [everything("write")] } });
  batch.add({ tool: "look", input: { name: "behind" } });
  const ended = batch.end();
  await look.runs("before 2");
  look.finish("before 1");
  await settleDown();
  assert.deepEqual([...latch.running, ...look.running], ["before 2"]);
  look.finish("before 2");
  await latch.runs("shell");
  await settleDown();
  assert.deepEqual([...look.running], []);
  latch.finish("shell");
  await look.runs("behind");
  look.finish("behind");
  await ended;
});

for (const maxParallel of [1, 2, 4, 12]) {
  test(`never more than ${maxParallel} run together, and as many as that do [P1]`, async () => {
    const { engine, look } = setUp(maxParallel);
    const batch = engine.openBatch({});
    for (let at = 0; at < 30; at++) batch.add({ tool: "look", input: { name: `${at}` } });
    const single = engine.call({ tool: "look", input: { name: "alone" } });
    const ended = batch.end();
    for (let at = 0; at < 30; at++) {
      await look.runs(`${at}`);
      assert.ok(look.running.size <= maxParallel);
      look.finish(`${at}`);
    }
    look.finish("alone");
    await Promise.all([ended, single]);
    assert.equal(look.peak, maxParallel);
  });
}

test("the same read-only call many times over still fills every slot [P1 P3]", async () => {
  const { engine, look, latch } = setUp(12);
  const batch = engine.openBatch({});
  for (let at = 0; at < 20; at++) batch.add({ tool: "look", input: { name: "same" } });
  batch.add({ tool: "latch", input: { name: "w", touches: [path("a", "write")] } });
  const ended = batch.end();
  await settleDown();
  assert.equal(look.started.length + latch.started.length, 12);
  look.finishAll();
  latch.finishAll();
  assert.ok((await ended).every(({ state }) => state === "completed"));
});

const fronts: readonly (readonly [string, string, number])[] = [
  ["", "no calls", 0],
  ["r", "one read", 0],
  ["rr", "two reads", 2],
  ["rrw", "two reads and a write", 2],
  ["rwrr", "a read, a write, two reads", 0],
  ["wrr", "a write first", 0],
  ["rrr?rr", "an unknown tool after three reads", 3],
  ["rrrrr", "only reads", 5],
];
for (const [calls, what, parallel] of fronts) {
  test(`of ${what} the front that overlaps is ${parallel}, and an event says so before any of them starts [P2]`, async () => {
    const { engine, look, latch, events, eventsOf } = setUp();
    look.finishAll();
    latch.finishAll();
    const batch = engine.openBatch({});
    const tools: Record<string, string> = { r: "look", w: "latch", "?": "unheard-of" };
    for (const [at, each] of calls.split("").entries()) batch.add({ tool: tools[each]!, input: { name: `${at}` } });
    const executions = await batch.end();
    const [planned, ...more] = eventsOf("batch:planned");
    assert.ok(planned && more.length === 0);
    assert.deepEqual([planned.calls, planned.parallel], [calls.length, parallel]);
    const firstStart = events.findIndex(({ type }) => type === "execution:started");
    assert.ok(firstStart === -1 || events.indexOf(planned) < firstStart);
    assert.ok(executions.every(({ batchId }) => batchId === planned.batchId));
  });
}

test("calls that are added while earlier ones run start as soon as they may [P3]", async () => {
  const { engine, latch, look } = setUp();
  const batch = engine.openBatch({});
  batch.add({ tool: "look", input: { name: "first", touches: [path("a", "read")] } });
  await look.runs("first");
  batch.add({ tool: "look", input: { name: "second", touches: [path("b", "read")] } });
  await look.runs("second");
  batch.add({ tool: "latch", input: { name: "third", touches: [path("a", "write")] } });
  await settleDown();
  assert.deepEqual(latch.started, []);
  look.finish("first");
  await latch.runs("third");
  latch.finish("third");
  look.finish("second");
  await settleDown();
  batch.add({ tool: "look", input: { name: "fourth", touches: [path("a", "read")] } });
  await look.runs("fourth");
  look.finish("fourth");
  assert.deepEqual(
    (await batch.end()).map(({ result }) => result?.output),
    ["first", "second", "third", "fourth"],
  );
});

test("ending a batch twice gives the same results and is announced once, and nothing can be added afterwards [P2]", async () => {
  const { engine, look, eventsOf } = setUp();
  look.finishAll();
  const batch = engine.openBatch({});
  batch.add({ tool: "look", input: { name: "a" } });
  const [first, second] = await Promise.all([batch.end(), batch.end()]);
  assert.deepEqual(first, second);
  assert.equal(eventsOf("batch:planned").length, 1);
  assert.throws(() => batch.add({ tool: "look", input: { name: "b" } }), { code: "BATCH_ENDED" });
});

test("a thousand calls in one batch, conflicting and not, all end in order [P3 P5]", async () => {
  const { engine, latch } = setUp(4);
  latch.finishAll();
  const batch = engine.openBatch({});
  for (let at = 0; at < 1000; at++) {
    const touches = at % 50 === 0 ? [everything("write")] : [path(`f${at % 7}`, at % 3 === 0 ? "write" : "read")];
    batch.add({ tool: "latch", input: { name: `${at}`, touches } });
  }
  const executions = await batch.end();
  assert.deepEqual(
    executions.map(({ result }) => result?.output),
    Array.from({ length: 1000 }, (_, at) => `${at}`),
  );
  assert.ok(latch.peak <= 4);
});

const nonsense: readonly unknown[] = [
  null,
  "a",
  5,
  {},
  [null],
  [{}],
  [{ kind: "path", access: "read" }],
  [{ kind: "path", path: 5, access: "read" }],
  [{ kind: "path", path: "a", access: "look" }],
  [{ kind: "name", access: "read" }],
  [{ kind: "everywhere", access: "read" }],
  Promise.resolve([]),
  new Error("thrown"),
];
for (const said of nonsense) {
  test(`a tool that says ${JSON.stringify(said)} when asked what it touches is taken to touch everything [P3]`, async () => {
    const latch = createLatchTool();
    const resources = (): never => {
      if (said instanceof Error) throw said;
      return said as never;
    };
    const { engine } = setUpEngine({ tools: [latch.tool, { ...latch.tool, name: "odd", resources }] });
    const batch = engine.openBatch({});
    batch.add({ tool: "odd", input: { name: "first" } });
    batch.add({ tool: "latch", input: { name: "second" } });
    const ended = batch.end();
    await latch.runs("first");
    await settleDown();
    assert.deepEqual(latch.started, ["first"]);
    latch.finishAll();
    assert.deepEqual(
      (await ended).map(({ state }) => state),
      ["completed", "completed"],
    );
    assert.deepEqual(latch.started, ["first", "second"]);
  });
}
