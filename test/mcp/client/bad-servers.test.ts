import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { isRunning } from "../../support/living-processes.ts";
import { until } from "../../support/runtime.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { openWorld, patienceMs, program, serverFile, settingOf } from "./support.ts";

test("each broken server is one clear sentence, and the others work [C9]", async (t) => {
  const quick = { startTimeoutMs: 4000 };
  const missing = { kind: "stdio", command: "no-such-program", args: [], env: {}, cwd: null } as const;
  const unset = { ...missing, command: "node", env: { KEY: "${NOT_SET_ANYWHERE}" } };
  const world = await openWorld(t, [
    settingOf(program(), { name: "fine" }),
    settingOf(program("noisy"), { name: "noisy" }),
    settingOf(program("silent", "noisy"), { name: "garbage", ...quick }),
    settingOf(program("silent"), { name: "silent", ...quick }),
    settingOf(program("other-ids"), { name: "strange", ...quick }),
    settingOf(program("dies"), { name: "dies" }),
    settingOf(program("refuses-initialize"), { name: "refuses" }),
    settingOf(program("version=1999-01-01"), { name: "old" }),
    settingOf(missing, { name: "missing" }),
    settingOf(unset, { name: "unset" }),
  ]);
  const { servers } = world;
  await servers.load(patienceMs);
  const told = Object.fromEntries(servers.status().map(({ name, problem }) => [name, problem]));
  const prefix = 'The MCP server "';
  assert.deepEqual(told, {
    fine: null,
    noisy: null,
    garbage: `${prefix}garbage" did not answer within 4 s; what it printed instead is not MCP: "Welcome to the noisy server!"`,
    silent: `${prefix}silent" did not answer within 4 s.`,
    strange: `${prefix}strange" did not answer within 4 s: what it sent are answers to requests that nobody made.`,
    dies: `${prefix}dies" ended with exit code 3: no database at localhost:5432.`,
    refuses: `${prefix}refuses" answered: The license has run out`,
    old: `${prefix}old" speaks version "1999-01-01" of MCP; known here are 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, 2024-10-07.`,
    missing: `${prefix}missing" could not be started: The program "no-such-program" was not found in PATH; check its name, or install it.`,
    unset: `${prefix}unset" is configured with \${NOT_SET_ANYWHERE}, which the environment does not have: set it, or write a default as \${NAME:-default}.`,
  });
  for (const name of ["fine", "noisy"]) {
    const { result } = await world.engine().engine.call({ tool: `${name}__echo`, input: { text: "hi" } });
    assert.deepEqual(result, { ok: true, output: "you said hi" });
  }
});

test("a list that is waited for does not wait for a silent server longer than it was told [C9]", async (t) => {
  const settings = [settingOf(program(), { name: "fine" }), settingOf(program("silent"), { name: "silent" })];
  const world = await openWorld(t, settings);
  const loading = world.servers.load(100_000);
  await until("the tools of the other one", () => world.servers.tools().length > 0, patienceMs);
  await world.servers.load(1);
  assert.equal(world.servers.status()[1]?.state, "starting");
  await world.servers.close();
  await loading;
});

test("calls of others go on while a cancelled one is ignored, and the server ends after the last of them [C9 E4]", async (t) => {
  // The one call ignores its cancel for this long; the other heeds it, and a loaded machine must be able to say so in time.
  const world = await openWorld(t, (folder) => [settingOf(program(`log=${folder}/log`))], { cancelMs: 3000 });
  await world.servers.load(patienceMs);
  const { engine } = world.engine();
  const pid = Number((await engine.call({ tool: "small__pid", input: {} })).result?.output);
  const other = engine.call({ tool: "small__slow", input: {} });
  const deaf = engine.call({ tool: "small__deaf", input: {} });
  await until("both are there", () => world.logged().filter((line) => line === "got tools/call").length === 3);
  engine.cancel(deaf.id, "enough");
  const ended = await deaf;
  assert.deepEqual(
    [ended.state, ended.stopProof, ended.survivors.map((note) => note.pid)],
    ["cancelled", "none", [pid]],
  );
  assert.equal(process.kill(pid, 0), true);
  const fresh = await engine.call({ tool: "small__pid", input: {} });
  assert.notEqual(Number(fresh.result?.output), pid);
  engine.cancel(other.id, "enough");
  assert.equal((await other).stopProof, "cooperative");
  await until("the old server is gone", () => !isRunning(pid), patienceMs);
});

test("of a server that Node could not run the sentence has the error, not the version of Node at the end of the trace", async (t) => {
  const folder = await temporaryFolder(t);
  const args = [join(folder, "nowhere.mjs")];
  const { servers } = await openWorld(t, [
    settingOf({ kind: "stdio", command: process.execPath, args, env: {}, cwd: null }),
  ]);
  await servers.load(patienceMs);
  assert.match(servers.status()[0]!.problem!, /ended with exit code 1: Error: Cannot find module '.*nowhere\.mjs'\.$/);
});

test("a call that its server never heard of is recorded as not begun, and nobody has to look what it did [C9]", async (t) => {
  const folder = await temporaryFolder(t);
  const script = join(folder, "server.ts");
  const source = `const isLater = (await import("node:fs")).existsSync(${JSON.stringify(`${folder}/later`)});
if (isLater) { console.error("no database"); process.exit(3); }
await import(${JSON.stringify(serverFile)});`;
  await writeFile(script, source);
  const transport = { kind: "stdio", command: process.execPath, args: [script], env: {}, cwd: null } as const;
  const world = await openWorld(t, [settingOf(transport)]);
  await world.servers.load(patienceMs);
  const { engine } = world.engine();
  const crashed = await engine.call({ tool: "small__crash", input: {} });
  assert.deepEqual([crashed.errorType, crashed.runPhase], ["server_lost", "returned"]);
  await writeFile(join(folder, "later"), "");
  const { error, errorType, runPhase } = await engine.call({ tool: "small__pid", input: {} });
  assert.deepEqual([errorType, runPhase], ["spawn", "not_started"]);
  assert.equal(error, 'The MCP server "small" ended with exit code 3: no database.');
});
