import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { half, openToolMachine, routes, shout, shouting } from "../e2e/tool-machine.ts";

const sentence =
  "Safe mode is on (DECKHAND_SAFE_MODE=1): tool files, tools of MCP servers and versions that are tried are left out.";

/** Leaves a file behind when it is started. */
const server = (file: string) => ({ command: "touch", args: [file] });

test("in safe mode no tool file is loaded and no MCP server started; the built-in tools work, and it is said [D3]", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const started = join(machine.workdir, "started");
  const settings = { mcpServers: { other: server(started) } };
  const runtime = await machine.open(settings, { env: { ...machine.env, DECKHAND_SAFE_MODE: "1" } });
  assert.equal(runtime.isSafeMode, true);
  assert.deepEqual(
    runtime.warnings.filter((each) => each.includes("afe mode")),
    [sentence],
  );
  await runtime.prepareTools();
  assert.equal((await runtime.reloadTools()).added.length, 0);
  const [file] = runtime.customTools().files;
  assert.deepEqual([file?.state, file?.tool, file?.problem?.message], ["refused", null, sentence]);
  const call = await shout(runtime, "ses_1");
  assert.deepEqual([call.state, call.errorType], ["failed", "unknown_tool"]);
  assert.deepEqual([runtime.mcpServers(), existsSync(started)], [[], false]);
  const echo = await runtime.call("bash", { command: "echo here" });
  assert.deepEqual([echo.state, echo.result?.output?.trim()], ["completed", "here"]);
});

test("a version that was tried before safe mode gets no call in it, and its share again after it [D3]", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const before = await machine.open(half);
  await shout(before, "ses_0");
  await machine.save("shout.js", shouting("/* better */"));
  assert.equal([...(await routes(before, 12))].filter((each) => each.startsWith("canary")).length, 1);
  await before.close();

  const safe = await machine.open(half, { safeMode: true });
  assert.deepEqual([...(await routes(safe, 4))], ["null null failed"]);
  const [view] = await (await safe.rollouts()).list();
  assert.deepEqual([view?.status, view?.percent], ["running", 50]);
  await safe.close();

  const after = await machine.open(half, { env: { ...machine.env, DECKHAND_SAFE_MODE: "0" } });
  assert.equal(after.isSafeMode, false);
  assert.equal([...(await routes(after, 12))].filter((each) => each.startsWith("canary")).length, 1);
});

test("a value of DECKHAND_SAFE_MODE that means nothing is one sentence [D3]", async (t) => {
  const machine = await openToolMachine(t, {});
  const { code, stderr } = await machine.run(["tools"], { env: { DECKHAND_SAFE_MODE: "maybe" } });
  assert.deepEqual([code, stderr], [2, 'deckhand: DECKHAND_SAFE_MODE is to be 1 or 0; got "maybe".\n']);
});

test("the doctor says that safe mode is on, and how it ends [D3]", async (t) => {
  const machine = await openToolMachine(t, {});
  const { stdout } = await machine.run(["doctor", "--json"], { env: { DECKHAND_SAFE_MODE: "1" } });
  const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; what: string; fix: string }[] };
  const row = checks.find(({ name }) => name === "safe mode");
  assert.deepEqual([row?.state, row?.what], ["warning", sentence]);
  assert.match(row!.fix, /without DECKHAND_SAFE_MODE/);
});
