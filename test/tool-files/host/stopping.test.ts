import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { HostOutcome, ToolFile } from "../../../src/tool-files/host/tool-host.ts";
import { commandsWith, eventually, inMode, modes } from "../../process/support.ts";
import { openHosts, spec, watched } from "./support.ts";
import { laneOf } from "../../support/require.ts";
import type { HostBench } from "./support.ts";

const deeds = `${spec("deeds")}
  import { execSync, spawn } from "node:child_process";
  const never = new Promise(() => setInterval(() => {}, 1000));
  const deeds = {
    echo: ({ text }) => text,
    loop: () => { for (;;); },
    regex: () => /^(a+)+$/.test("a".repeat(40) + "!"),
    sleep: () => execSync("sleep 300"),
    never: () => never,
    polite: (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve("stopped"))),
    leaves: (_, { signal }) => { spawn("sleep", ["301"], { stdio: "inherit", detached: true }); return deeds.polite(_, { signal }); },
    deaf: () => { process.on("SIGTERM", () => {}); return never; },
    exit: () => process.exit(3),
    abort: () => process.abort(),
    uncaught: () => { setTimeout(() => { throw new Error("in a timer"); }, 1); return never; },
    rejected: () => { void Promise.reject(new Error("of nobody")); return never; },
    heap: () => { const all = []; for (;;) all.push({ all: [all.length] }); },
    buffers: () => { const all = []; for (;;) all.push(Buffer.alloc(10_000_000, 1)); },
    flood: () => { for (;;) process.stdout.write("x".repeat(60_000) + "\\n"); },
  };
  export const run = (input, context) => { context.progress(input.deed); return deeds[input.deed](input, context); };`;

/** For calls that return by themselves, however slow the machine is. */
const patient = { cancelMs: 60_000 };

/** Calls and stops the call once it has shown that it runs. */
async function stopWhenBegun(
  bench: HostBench,
  file: ToolFile,
  deed: string,
): Promise<{ outcome: HostOutcome; told: ReturnType<typeof watched> }> {
  const controller = new AbortController();
  const told = watched();
  const outcome = await bench.call(
    file,
    { deed },
    { ...told, signal: controller.signal, progress: () => controller.abort() },
  );
  return { outcome, told };
}

for (const mode of modes) {
  describe(`sandbox ${mode}`, inMode(mode), () => {
    for (const deed of ["loop", "regex", "sleep", "never", "deaf"]) {
      test(`a call in "${deed}" is stopped with proof, and the next one gets a new process [C5]`, async (t) => {
        const bench = await openHosts(t, { mode });
        const file = bench.file("deeds.js", deeds);
        const { outcome, told } = await stopWhenBegun(bench, file, deed);
        assert.deepEqual(outcome, {
          result: { ok: false, error: "The tool was stopped.", errorType: "cancelled" },
          entered: true,
        });
        assert.deepEqual(
          told.reports.map(({ proof, survivors }) => [proof, survivors]),
          [[mode === "off" ? "marker" : "namespace", []]],
        );
        assert.deepEqual(commandsWith(bench.workdir), []);
        const { result } = await bench.call(file, { deed: "echo", text: "again" });
        assert.deepEqual(result, { ok: true, output: "again" });
      });
    }

    test("a call that heeds its signal returns by itself, and what it left is ended [C5]", async (t) => {
      const bench = await openHosts(t, { mode, limits: patient });
      const file = bench.file("deeds.js", deeds);
      const { outcome, told } = await stopWhenBegun(bench, file, "leaves");
      assert.deepEqual(outcome, { result: { ok: true, output: "stopped" }, entered: true });
      assert.deepEqual(told.reports[0]?.proof, mode === "off" ? "marker" : "namespace");
      assert.deepEqual(commandsWith("sleep 301"), []);
    });

    test("a process that ends under a call is told for what it is [C5]", async (t) => {
      const bench = await openHosts(t, { mode, limits: { memoryMb: 128, printedBytes: 8_000_000 } });
      const file = bench.file("deeds.js", deeds);
      const why = async (deed: string): Promise<unknown> => {
        const { result, entered } = await bench.call(file, { deed });
        assert.ok(!result.ok && entered, deed);
        return [result.errorType, result.error];
      };
      assert.deepEqual(await why("exit"), ["crashed", "The tool ended its own process with exit code 3."]);
      assert.deepEqual(await why("abort"), ["crashed", "The process of the tool was killed by SIGABRT."]);
      assert.deepEqual(await why("uncaught"), ["threw", "An error that nobody caught: in a timer"]);
      assert.deepEqual(await why("rejected"), ["threw", "An error that nobody caught: of nobody"]);
      assert.deepEqual(await why("heap"), ["memory", "The tool used more than 128 MB of memory and was ended."]);
      assert.partialDeepStrictEqual(await why("buffers"), ["memory"]);
      assert.deepEqual(await why("flood"), ["output_limit", "The tool printed without end and was stopped."]);
      const { result } = await bench.call(file, { deed: "echo", text: "still here" });
      assert.deepEqual(result, { ok: true, output: "still here" });
    });
  });
}

test("calls beside one that is stopped are told that their outcome is unknown [C5]", async (t) => {
  const bench = await openHosts(t);
  const file = bench.file("deeds.js", deeds);
  const beside = watched();
  const waiting = bench.call(file, { deed: "never" }, beside);
  await eventually(() => beside.updates.length > 0, "the other call began");
  await stopWhenBegun(bench, file, "loop");
  assert.deepEqual(await waiting, {
    result: {
      ok: false,
      error:
        "The process that this call ran in was ended because of another call of the same tool; how far it came is unknown.",
      errorType: "runtime_lost",
    },
    entered: true,
  });
});

test("a call that had not begun when another ended the process runs in the next one [C5]", async (t) => {
  const bench = await openHosts(t);
  const file = bench.file("deeds.js", deeds);
  const controller = new AbortController();
  const begun = Promise.withResolvers<void>();
  const looping = bench.call(file, { deed: "loop" }, { signal: controller.signal, progress: () => begun.resolve() });
  await begun.promise;
  const behind = bench.call(file, { deed: "echo", text: "second" });
  controller.abort();
  assert.equal((await looping).entered, true);
  assert.deepEqual(await behind, { result: { ok: true, output: "second" }, entered: true });
});

test("the runtime goes on while a tool loops [C5]", async (t) => {
  const bench = await openHosts(t);
  const loop = bench.file("deeds.js", deeds);
  const other = bench.fixture("echo-tool.ts");
  const controller = new AbortController();
  const looping = bench.call(loop, { deed: "loop" }, { signal: controller.signal });
  assert.deepEqual((await bench.call(other, { text: "fine" })).result, { ok: true, output: "fine" });
  controller.abort();
  await looping;
});

const pythonDeeds = `TOOL_SPEC = {"name": "deeds", "description": "A tool.", "input_schema": {"type": "object"}}
def run(input_data, context):
    context.progress("begun")
    while input_data["deed"] == "loop":
        pass
    while input_data["deed"] == "polite" and not context.cancelled():
        pass
    return input_data["deed"]
`;

test(
  "a Python tool that heeds its context returns by itself; one that waits its turn can be given up [C5]",
  laneOf("deeds.py"),
  async (t) => {
    const bench = await openHosts(t, { limits: patient });
    const file = bench.file("deeds.py", pythonDeeds);
    const begun = Promise.withResolvers<void>();
    const [first, second] = [new AbortController(), new AbortController()];
    const polite = bench.call(file, { deed: "polite" }, { signal: first.signal, progress: () => begun.resolve() });
    await begun.promise;
    const behind = bench.call(file, { deed: "second" }, { signal: second.signal });
    second.abort();
    assert.deepEqual(await behind, {
      result: { ok: false, error: "It was stopped before it began.", errorType: "cancelled" },
      entered: false,
    });
    first.abort();
    assert.deepEqual(await polite, { result: { ok: true, output: "polite" }, entered: true });
  },
);

test(
  "a Python tool that loops is stopped, and one that waits its turn runs afterwards [C5]",
  laneOf("deeds.py"),
  async (t) => {
    const bench = await openHosts(t);
    const file = bench.file("deeds.py", pythonDeeds);
    const controller = new AbortController();
    const begun = Promise.withResolvers<void>();
    const looping = bench.call(file, { deed: "loop" }, { signal: controller.signal, progress: () => begun.resolve() });
    await begun.promise;
    const behind = bench.call(file, { deed: "second" });
    controller.abort();
    assert.equal((await looping).entered, true);
    assert.deepEqual(await behind, { result: { ok: true, output: "second" }, entered: true });
  },
);
