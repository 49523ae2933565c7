import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { HookSetting } from "../../src/permissions/hooks/hooks.ts";
import { readHookAnswer } from "../../src/permissions/hooks/run-hook.ts";
import { commandsWith } from "../process/support.ts";
import { until } from "../support/runtime.ts";
import { openGated, type GatedRuntime } from "./support.ts";

type Hooks = { before?: HookSetting[]; after?: HookSetting[] };

function open(t: TestContext, hooks: Hooks): Promise<GatedRuntime> {
  return openGated(t, { hooks: hooks as never, permissions: { mode: "accept-edits" } });
}

const print = (answer: object): [string, ...string[]] => [
  "sh",
  "-c",
  `cat >/dev/null; echo '${JSON.stringify(answer)}'`,
];
/** In the command line of the hook, so that it is found among all processes. */
const workdirMark = `hook-${process.pid}-${Date.now()}`;
const write = { file_path: "a.txt", content: "from the model" };

test("a hook before a tool can refuse the call, and its reason is told [P10]", async (t) => {
  const { call, workdir } = await open(t, { before: [{ tools: ["Write_File"], command: print({ deny: "frozen" }) }] });
  const { state, error, errorType, permission } = await call("write", write);
  assert.deepEqual([state, errorType, permission?.by], ["cancelled", "denied", "hook"]);
  assert.match(error ?? "", /^Refused: the hook sh .* said no: frozen$/);
  assert.ok(!existsSync(join(workdir, "a.txt")));
  assert.equal((await call("list_files", {})).state, "completed");
});

test("exit code 2 refuses with what it wrote to stderr [P10]", async (t) => {
  const { call } = await open(t, { before: [{ command: ["sh", "-c", "echo 'not now' >&2; exit 2"] }] });
  assert.match((await call("write", write)).error ?? "", /said no: not now$/);
});

test("a hook gets the call as JSON and can change its input, which is checked again [P10]", async (t) => {
  const module = "hook.mjs";
  const { call, workdir } = await open(t, { before: [{ tools: ["write"], module }] });
  await writeFile(
    join(workdir, module),
    `export function before(call) {
       console.log("noise");
       return { input: { ...call.tool_input, content: JSON.stringify(call) } };
     }`,
  );
  const { state, id, toolInput } = await call("write", write);
  assert.equal(state, "completed");
  const seen = JSON.parse(await readFile(join(workdir, "a.txt"), "utf8"));
  assert.deepEqual(seen, {
    event: "before",
    tool_name: "write",
    execution_id: id,
    conversation_id: "ses_1",
    turn: null,
    door: "agent",
    tool_input: write,
    workdir,
  });
  assert.equal((toolInput as typeof write).file_path, "a.txt");

  const bad = await open(t, { before: [{ command: print({ input: { file_path: 7 } }) }] });
  const broken = await bad.call("write", write);
  assert.deepEqual([broken.state, broken.errorType], ["failed", "invalid_input"]);
});

test("what a hook made of the input has to pass the rules [P10 G8]", async (t) => {
  const { call, asked } = await open(t, {
    before: [{ tools: ["bash"], command: print({ input: { command: "rm -rf ." } }) }],
  });
  const { state } = await call("bash", { command: "ls" });
  assert.deepEqual([state, asked[0]?.detail, asked[0]?.isDanger], ["cancelled", "rm -rf .", true]);
});

test("hooks can add to what is told, before and after [P10]", async (t) => {
  const { call } = await open(t, {
    before: [{ command: print({ context: "remember the license" }) }],
    after: [{ command: print({ context: "formatted" }) }, { command: print({ deny: "too long" }) }],
  });
  const { state, note } = await call("write", write);
  assert.equal(state, "completed");
  assert.match(note ?? "", /^remember the license\nformatted\nThe hook sh .* objects: too long$/);
});

test("an after hook sees the result, also of a call that failed [P10]", async (t) => {
  const { call, workdir } = await open(t, { after: [{ command: ["sh", "-c", "cat > seen.json"] }] });
  const { state } = await call("read", { file_path: "missing.txt" });
  assert.equal(state, "failed");
  const seen = JSON.parse(await readFile(join(workdir, "seen.json"), "utf8"));
  assert.deepEqual([seen.event, seen.result.ok, seen.result.errorType], ["after", false, "not_found"]);
});

test("a hook that breaks, hangs, or answers nonsense says no [P10]", async (t) => {
  const table: [hook: HookSetting, message: RegExp][] = [
    [{ command: ["sh", "-c", "echo oops >&2; exit 1"] }, /it exited with code 1: oops/],
    [{ command: ["sh", "-c", "sleep 60"], timeout_ms: 200 }, /took longer than 0\.2 s and was stopped/],
    [{ command: ["no-such-program-here"] }, /"no-such-program-here" was not found/],
    [{ command: ["echo", "hello"] }, /expected one JSON object on stdout, got "hello"/],
    [{ command: ["sh", "-c", "yes | head -c 3000000"] }, /printed more than 1 MB/],
    [{ module: "missing.mjs" }, /missing\.mjs/],
  ];
  for (const [hook, message] of table) {
    const { call } = await open(t, { before: [hook] });
    const { state, error } = await call("list_files", {});
    assert.equal(state, "cancelled", String(message));
    assert.match(error ?? "", message);
  }
});

test("a module that loops for ever is stopped as well [P10 C5]", async (t) => {
  const { call, workdir } = await open(t, { before: [{ module: "loop.mjs", timeout_ms: 500 }] });
  await writeFile(join(workdir, "loop.mjs"), "export function before() { for (;;); }");
  assert.match((await call("list_files", {})).error ?? "", /was stopped/);
});

test("a cancel while a hook runs ends the hook and everything it started, and the tool never runs [P10 E4]", async (t) => {
  const script = 'cat >/dev/null; sleep 617 & echo up >"$PWD/up"; wait';
  const { runtime, workdir } = await open(t, {
    before: [{ command: ["sh", "-c", script, workdirMark], timeout_ms: 600_000 }],
  });
  const call = runtime.call("write", write, { door: "agent", conversationId: "ses_1" });
  await until("the hook runs", () => existsSync(join(workdir, "up")));
  assert.notDeepEqual(commandsWith(workdirMark), []);
  assert.equal(await runtime.cancel(call.id, "enough"), true);
  const { state, error } = await call;
  assert.equal(state, "cancelled");
  assert.match(error ?? "", /enough/);
  await until("nothing of the hook is left", () => commandsWith(workdirMark).length === 0);
  assert.ok(!existsSync(join(workdir, "a.txt")));
});

test("after a broken hook the outcome stands, and says so [P10]", async (t) => {
  const { call } = await open(t, { after: [{ command: ["false"] }] });
  const { state, note } = await call("list_files", {});
  assert.equal(state, "completed");
  assert.match(note ?? "", /^The hook false failed: it exited with code 1$/);
});

test("calls whose input a hook may change are not planned side by side [P10 P3]", async (t) => {
  const { runtime, workdir } = await open(t, {
    before: [
      {
        tools: ["read"],
        module: "hook.mjs",
      },
    ],
  });
  // Each reads and raises one counter: two at once would lose one.
  await writeFile(
    join(workdir, "hook.mjs"),
    `
    import { readFileSync, writeFileSync } from "node:fs";
    export async function before() {
      const count = Number(readFileSync("count", "utf8"));
      await new Promise((resolve) => setTimeout(resolve, 50));
      writeFileSync("count", String(count + 1));
    }`,
  );
  await writeFile(join(workdir, "count"), "0");
  await writeFile(join(workdir, "a.txt"), "x");
  const calls = Array.from({ length: 4 }, () => ({ tool: "read", input: { file_path: "a.txt" } }));
  const done = await runtime.batch(calls, { door: "agent" });
  assert.deepEqual(new Set(done.map(({ state }) => state)), new Set(["completed"]));
  assert.equal(await readFile(join(workdir, "count"), "utf8"), "4");
});

test("an answer is read strictly [P10]", () => {
  assert.deepEqual(readHookAnswer(" \n"), { ok: true, said: {} });
  assert.deepEqual(readHookAnswer('{"context":"a"}'), { ok: true, said: { context: "a" } });
  for (const text of ["[]", "null", '{"deny":true}', '{"context":1}', '{"allow":true}', "{"]) {
    assert.equal(readHookAnswer(text).ok, false, text);
  }
});
