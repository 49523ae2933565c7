import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { before, describe, test } from "node:test";
import { defineTool, type Execution, type Runtime, type RuntimeEvent, type Tool } from "deckhand";
import { z } from "zod";
import { afterTest } from "../support/after-test.ts";
import {
  echoTool,
  openCommand,
  openConversation,
  openLibrary,
  throwTool,
  until,
  waitTool,
  wholeFile,
} from "./seed-support.ts";

// Source document 002: many calls at once. What overlaps, in which order, and how calls end that were stopped.

/** Read-only calls that end when the test opens the gate. */
interface Gated {
  readonly tool: Tool;
  running: number;
  peak: number;
  open(): void;
}

function createGated(): Gated {
  const gate = Promise.withResolvers<void>();
  const gated: Gated = {
    running: 0,
    peak: 0,
    open: () => gate.resolve(),
    tool: defineTool({
      name: "gated",
      description: "Waits for the gate.",
      input: z.object({ name: z.string() }),
      traits: { readOnly: true },
      resources: () => [],
      async run({ name }, { signal }) {
        gated.running += 1;
        gated.peak = Math.max(gated.peak, gated.running);
        const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        await Promise.race([gate.promise, stopped]);
        gated.running -= 1;
        return { ok: true, output: name };
      },
    }),
  };
  return gated;
}

const callsOf = (tool: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({ tool, input: { name: `${at}` } }));

let runtime: Runtime;

before(async () => {
  runtime = await openLibrary(wholeFile, { tools: [echoTool, throwTool, waitTool] });
});

describe("how many run at once", () => {
  /** The most of 30 that ran together. */
  async function peakWith(variables: Record<string, string>, expected: number): Promise<number> {
    const gated = createGated();
    const scope = { after: (hook: () => Promise<void>) => void hooks.push(hook) };
    const hooks: (() => Promise<void>)[] = [];
    const own = await openLibrary(scope, { tools: [gated.tool], variables, builtins: false });
    const ended = own.batch(callsOf("gated", 30));
    await until(`${expected} run`, () => gated.running === expected);
    // One more would have begun by then.
    await own.list();
    gated.open();
    await ended;
    for (const hook of hooks) await hook();
    return gated.peak;
  }

  test("2-1 AXCOPILOT_MAX_PARALLEL_TOOLS says it; DECKHAND_MAX_PARALLEL_TOOLS wins over it", async () => {
    assert.equal(await peakWith({ AXCOPILOT_MAX_PARALLEL_TOOLS: "7" }, 7), 7);
    const both = { AXCOPILOT_MAX_PARALLEL_TOOLS: "7", DECKHAND_MAX_PARALLEL_TOOLS: "3" };
    assert.equal(await peakWith(both, 3), 3);
  });

  test("2-2 is 4 by default", async () => assert.equal(await peakWith({}, 4), 4));

  test("2-3 is 12 at most", async () => {
    assert.equal(await peakWith({ DECKHAND_MAX_PARALLEL_TOOLS: "50" }, 12), 12);
    assert.equal(await peakWith({ DECKHAND_MAX_PARALLEL_TOOLS: " 6 " }, 6), 6);
  });

  test("2-4 is 4 for zero, less, and what is not a whole number", async () => {
    for (const value of ["0", "-3", "junk", "2.5", ""]) {
      assert.equal(await peakWith({ DECKHAND_MAX_PARALLEL_TOOLS: value }, 4), 4, value);
    }
  });
});

test("2-5 (differs) reads on both sides of a write overlap with each other, and the write runs alone", async (t) => {
  const running = new Set<string>();
  const seen: string[] = [];
  const pair = { first: Promise.withResolvers<void>(), second: Promise.withResolvers<void>() };
  const tool = (name: "look" | "change", readOnly: boolean): Tool =>
    defineTool({
      name,
      description: "Touches a.txt.",
      input: z.object({ name: z.string(), pair: z.enum(["first", "second"]).optional() }),
      traits: { readOnly },
      resources: () => [{ kind: "path", path: "a.txt", access: readOnly ? "read" : "write" }],
      async run({ name: id, pair: which }) {
        running.add(id);
        // A read waits for the other one of its pair: it would wait for ever if they did not overlap.
        if (which !== undefined) {
          if ([...running].filter((each) => each.startsWith(which)).length === 2) pair[which].resolve();
          await pair[which].promise;
        }
        seen.push([...running].toSorted().join("+"));
        running.delete(id);
        return { ok: true, output: id };
      },
    });
  const own = await openLibrary(t, { tools: [tool("look", true), tool("change", false)], builtins: false });
  const look = (name: string, which: string) => ({ tool: "look", input: { name, pair: which } });
  const results = await own.batch([
    look("first1", "first"),
    look("first2", "first"),
    { tool: "change", input: { name: "write" } },
    look("second1", "second"),
    look("second2", "second"),
  ]);
  assert.deepEqual(
    results.map(({ state }) => state),
    ["completed", "completed", "completed", "completed", "completed"],
  );
  assert.deepEqual(
    seen.filter((each) => each.includes("write")),
    ["write"],
  );
});

test("2-6 one read-only call alone is not parallel", async () => {
  const planned: RuntimeEvent<"batch:planned">[] = [];
  const off = runtime.on("batch:planned", (event) => void planned.push(event));
  await runtime.batch([{ tool: "echo", input: { text: "2-6" } }]);
  await runtime.batch([
    { tool: "echo", input: { text: "2-6" } },
    { tool: "echo", input: { text: "2-6 too" } },
  ]);
  await until("both plans are announced", () => planned.length === 2);
  off();
  assert.deepEqual(
    planned.map(({ calls, parallel }) => ({ calls, parallel })),
    [
      { calls: 1, parallel: 0 },
      { calls: 2, parallel: 2 },
    ],
  );
});

test("2-12 an event and a line say how many calls run in parallel", async (t) => {
  const gated = createGated();
  const own = await openLibrary(t, { tools: [gated.tool], settings: { permissions: { allow: ["gated"] } } });
  const conversation = await openConversation(t, own, {
    turns: [{ calls: callsOf("gated", 4) }, "Done."],
  });
  conversation.agent.on(({ type }) => type === "calls:planned" && gated.open());
  await conversation.send("Look at all four.");
  const [planned] = conversation.events.filter(({ type }) => type === "calls:planned");
  const { calls, readOnly, running } = planned as Extract<typeof planned, { type: "calls:planned" }>;
  assert.deepEqual({ calls, readOnly, running }, { calls: 4, readOnly: 4, running: 4 });
});

test("2-12 deckhand run prints it", async (t) => {
  // Answers when the test says so: until then the calls run.
  const waiting: ServerResponse[] = [];
  const server = createServer((_, response) => void waiting.push(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterTest(t, async () => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { tools: { web: { allow_hosts: [host] } }, permissions: { allow: ["web_fetch"] } };
  const command = await openCommand(t, { settings });
  const calls = Array.from({ length: 3 }, (_, at) => ({ tool: "web_fetch", input: { url: `http://${host}/${at}` } }));
  await command.put("script.json", JSON.stringify([{ calls }, "Done."]));
  const running = command.start(["run", "go", "--model", "script:script.json"]);
  await until("the line is there", () => running.stderr().includes("Running 3 read-only calls in parallel"));
  await until("all are asked for", () => waiting.length === 3);
  for (const response of waiting) response.end("hello");
  assert.equal((await running.ended).stdout, "Done.\n");
});

test("2-18 an unknown tool in a batch fails alone", async () => {
  const results = await runtime.batch([
    { tool: "echo", input: { text: "a" } },
    { tool: "nosuch", input: {} },
    { tool: "echo", input: { text: "b" } },
  ]);
  assert.deepEqual(
    results.map(({ state, errorType }) => [state, errorType]),
    [
      ["completed", null],
      ["failed", "unknown_tool"],
      ["completed", null],
    ],
  );
});

test("2-19 results come in the order of the calls, whatever ended first", async () => {
  const texts = Array.from({ length: 30 }, (_, at) => `2-19 ${at}`);
  const results = await runtime.batch(texts.map((text) => ({ tool: "echo", input: { text } })));
  assert.deepEqual(
    results.map(({ result }) => result?.output),
    texts,
  );
});

test("2-31 calls that are cancelled while they wait give their slots back: the next batch runs", async (t) => {
  const gated = createGated();
  const own = await openLibrary(t, { tools: [gated.tool], builtins: false });
  const stop = new AbortController();
  const ended = own.batch(callsOf("gated", 12), { signal: stop.signal });
  await until("four run", () => gated.running === 4);
  stop.abort();
  const phases = Object.groupBy(await ended, ({ runPhase }) => runPhase);
  assert.deepEqual([phases.returned?.length, phases.not_started?.length], [4, 8]);
  gated.open();
  const next = await own.batch(callsOf("gated", 8));
  assert.ok(next.every(({ state }) => state === "completed"));
});

test("2-32 cancelled while waiting and cancelled while running are different sentences", async (t) => {
  const gated = createGated();
  const own = await openLibrary(t, { tools: [gated.tool], builtins: false });
  const stop = new AbortController();
  const ended = own.batch(callsOf("gated", 5), { signal: stop.signal });
  await until("four run", () => gated.running === 4);
  stop.abort();
  const errors = (await ended).map(({ state, error }: Execution) => [state, error]);
  assert.deepEqual(errors[0], ["cancelled", "Cancelled by its caller"]);
  assert.deepEqual(errors[4], ["cancelled", "Cancelled while waiting to run"]);
});

test("2-33 each call has the time it took: in its event, its record and the log", async (t) => {
  const command = await openCommand(t, { files: { "a.txt": "hello\n" } });
  const { id, duration_ms: durationMs } = await command.json(["tool", "read", '{"file_path":"a.txt"}']);
  assert.ok(durationMs > 0);
  const line = (await command.log()).find(({ type }) => type === "tool_result")!;
  assert.deepEqual([line["id"], line["latency_ms"]], [id, durationMs]);
});

test("2-34 what one tool throws is its own failure", async () => {
  const results = await runtime.batch([
    { tool: "throw", input: { text: "2-34" } },
    { tool: "echo", input: { text: "2-34" } },
  ]);
  assert.deepEqual(
    results.map(({ state, error }) => [state, error]),
    [
      ["failed", "2-34"],
      ["completed", null],
    ],
  );
});

test("2-35 each call of a batch has its own time limit", async () => {
  const results = await runtime.batch([
    { tool: "wait", input: { name: "2-35" }, timeoutMs: 20 },
    { tool: "echo", input: { text: "2-35" } },
  ]);
  assert.deepEqual(
    results.map(({ state, timeoutMs }) => [state, timeoutMs]),
    [
      ["timeout", 20],
      ["completed", 120_000],
    ],
  );
});
