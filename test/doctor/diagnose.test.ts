import assert from "node:assert/strict";
import { appendFile, mkdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { inspectJournal } from "../../src/records/audit-log/inspect-log.ts";
import { readJournalHeads } from "../../src/records/sqlite/sqlite-log-heads.ts";
import { createRuntime } from "../../src/runtime/create-runtime.ts";
import { type Check, checkNode, checkPlatform, diagnose } from "../../src/doctor/diagnose.ts";
import { judgeRaces, judgeSandbox, judgeStop, judgeStrict } from "../../src/doctor/check-sandbox.ts";
import { temporaryFolder } from "../support/temporary.ts";

const none = { kind: "none", profile: null, network: true } as const;
const bwrap = { kind: "bwrap", profile: "normal", network: false } as const;

interface World {
  readonly workdir: string;
  readonly env: Record<string, string>;
  readonly look: (env?: Record<string, string>) => Promise<Map<string, Check>>;
}

async function openWorld(t: { after(hook: () => Promise<void>): void }): Promise<World> {
  const folder = await temporaryFolder(t);
  const workdir = join(folder, "work");
  await mkdir(workdir);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
    XDG_CONFIG_HOME: join(folder, "config"),
    DECKHAND_SANDBOX: "off",
  };
  return {
    workdir,
    env,
    async look(more = {}) {
      const checks = await diagnose({ workdir, env: { ...env, ...more } });
      return new Map(checks.map((check) => [check.name, check]));
    },
  };
}

async function workThere({ workdir, env }: World): Promise<void> {
  const runtime = await createRuntime({ workdir, env });
  await runtime.call("write", { file_path: "a.txt", content: "a" }, { door: "cli" });
  await runtime.close();
}

test("an old Node and a platform that is not supported are problems, macOS is a warning that says what it can't promise [G10]", () => {
  assert.equal(checkNode("24.0.0").state, "ok");
  assert.equal(checkNode("22.21.1").state, "problem");
  assert.equal(checkPlatform("linux").state, "ok");
  assert.equal(checkPlatform("win32").state, "problem");
  assert.equal(checkPlatform("freebsd").state, "problem");
  const mac = checkPlatform("darwin");
  assert.equal(mac.state, "warning");
  for (const word of ["sandbox", "survive", "swapped"]) assert.match(mac.what, new RegExp(word));
});

test("what is missing without a sandbox is said, and is a problem only where one is required [G10 G4]", () => {
  const missing = judgeSandbox(none, "Commands run without a sandbox: bubblewrap is not installed.", "auto");
  assert.equal(missing.state, "warning");
  for (const word of ["bubblewrap is not installed", "write", "keys", "network"])
    assert.match(missing.what, new RegExp(word));
  assert.notEqual(missing.fix, null);
  assert.equal(judgeSandbox(none, "A sandbox is required, but it is not there.", "require").state, "problem");
  assert.match(judgeSandbox(none, "Commands run without a sandbox: it is switched off.", "off").fix!, /"auto"/);
  assert.equal(judgeSandbox(bwrap, null, "auto").state, "ok");
  assert.match(judgeSandbox(bwrap, null, "auto").what, /can't reach the network/);
  assert.equal(
    judgeSandbox(bwrap, "The sandbox holds only a part: the network can't be cut off.", "auto").state,
    "warning",
  );
});

test("escaped processes, file races and strict mode without a sandbox are told where they are not held [G10]", () => {
  assert.equal(judgeStop(bwrap, "linux").state, "ok");
  assert.equal(judgeStop(none, "linux").state, "warning");
  assert.equal(judgeStop({ ...none, kind: "seatbelt" }, "darwin").state, "warning");
  assert.equal(judgeRaces("none").state, "ok");
  assert.equal(judgeRaces("window").state, "warning");
  assert.equal(judgeStrict(none, false).state, "ok");
  assert.equal(judgeStrict(bwrap, true).state, "ok");
  assert.match(judgeStrict(none, true).what, /limits what can be asked for, not what an allowed program does/);
});

test("a diagnosis never rejects and gives whole rows, whatever the workdir is", async (t) => {
  const world = await openWorld(t);
  for (const workdir of ["/none/at/all", "/dev/null", "", "\0", world.workdir]) {
    const checks = await diagnose({ workdir, env: world.env });
    for (const { name, state, what, fix } of checks) {
      assert.ok(name && ["ok", "warning", "problem"].includes(state) && /[.?]$/.test(what), `${name}: ${what}`);
      assert.equal(fix === null, state === "ok", name);
    }
  }
});

test("settings of the log that weaken it as evidence are named [G10]", async (t) => {
  const world = await openWorld(t);
  const usual = await world.look();
  assert.equal(usual.get("log settings"), undefined);
  const weak = await world.look({
    DECKHAND_LOG_AUDIT: "0",
    DECKHAND_LOG_ON_FAILURE: "continue",
    DECKHAND_LOG_FSYNC: "never",
  });
  for (const key of ["log.audit", "log.on_failure", "log.fsync"])
    assert.ok(weak.get("log settings")?.what.includes(key), key);
  assert.equal((await world.look({ DECKHAND_STORE_KIND: "memory" })).get("store")?.state, "warning");
});

test("a variable that looks like a setting and is none is told with the one that may be meant", async (t) => {
  const world = await openWorld(t);
  const settings = (await world.look({ DECKHAND_SANDBOX_NETWROK: "off" })).get("settings");
  assert.equal(settings?.state, "warning");
  assert.match(settings.what, /DECKHAND_SANDBOX_NETWROK .* DECKHAND_SANDBOX_NETWORK\?$/);
});

test("rules that are too wide, idle or unusable are told", async (t) => {
  const world = await openWorld(t);
  await mkdir(join(world.env["XDG_CONFIG_HOME"]!, "deckhand"), { recursive: true });
  const file = join(world.env["XDG_CONFIG_HOME"]!, "deckhand", "deckhand.json");
  await writeFile(file, JSON.stringify({ permissions: { allow: ["*"], deny: ["bsh"] } }));
  const wide = (await world.look()).get("rules");
  assert.equal(wide?.state, "warning");
  assert.match(wide.what, /"\*" lets everything through .* "bsh" names a tool that is not here/);
  await writeFile(file, JSON.stringify({ permissions: { allow: ["bash(npm"] } }));
  assert.equal((await world.look()).get("rules")?.state, "problem");
});

test("what a folder brings along and nobody trusts is a warning, and a damaged quarantine list a problem", async (t) => {
  const world = await openWorld(t);
  await mkdir(join(world.workdir, "tools"));
  await writeFile(join(world.workdir, "tools", "echo.ts"), "export {}");
  await writeFile(join(world.workdir, "deckhand.json"), '{ "permissions": { "mode": "auto" } }');
  await workThere(world);
  const found = await world.look();
  assert.match(found.get("trust")!.what, /deckhand\.json \(new\), tools\/echo\.ts \(new\)/);
  assert.match(found.get("settings")!.what, /permissions\.mode/);
  assert.match(found.get("mode")!.what, /^ask:/);
  const { locateFolders } = await import("../../src/config/folders.ts");
  await writeFile(locateFolders(world.workdir, world.env).quarantine, "{");
  assert.equal((await world.look()).get("quarantine")?.state, "problem");
});

test("the model is named with its reason; none is a warning, and one that can't be opened a problem", async (t) => {
  const world = await openWorld(t);
  const nothing = { OLLAMA_HOST: "http://127.0.0.1:9" };
  const none = (await world.look(nothing)).get("model");
  assert.deepEqual(
    [none?.state, none?.what],
    ["warning", "No model is set: conversations and `deckhand run` need one."],
  );
  const found = (await world.look({ ANTHROPIC_API_KEY: "a-key" })).get("model");
  assert.equal(found?.state, "ok");
  assert.match(found.what, /^anthropic\/\S+, because ANTHROPIC_API_KEY is set\. Nothing was sent to it\.$/);
  const keyless = (await world.look({ ...nothing, DECKHAND_MODEL: "openai/gpt-5" })).get("model");
  assert.equal(keyless?.state, "problem");
  assert.match(keyless.what, /OPENAI_API_KEY/);
});

test("a quick look at the journal finds an edited, a cut and a lost end, and calls a torn one no problem", async (t) => {
  const world = await openWorld(t);
  await workThere(world);
  const data = join(world.workdir, ".deckhand");
  const log = join(data, "logs", "chat_log.jsonl");
  const heads = readJournalHeads(join(data, "deckhand.db"))!;
  const look = (): ReturnType<typeof inspectJournal> => inspectJournal(join(data, "logs"), heads);
  const whole = await readFile(log);
  assert.deepEqual(
    { ...look(), lastAt: null },
    { segments: 1, bytes: whole.length, lastAt: null, problems: [], remarks: [] },
  );

  await appendFile(log, '{"v":1,"writer":"');
  assert.deepEqual([look().problems.length, look().remarks.length], [0, 1]);
  await writeFile(log, whole.toString().replace("a.txt", "b.txt"));
  assert.match(look().problems.join(), /do not fit their hash/);
  await writeFile(log, whole);
  await truncate(log, whole.subarray(0, -1).lastIndexOf(10) + 1);
  assert.match(look().problems.join(), /the store knows of/);
  await writeFile(
    log,
    Buffer.concat([whole.subarray(0, whole.subarray(0, -1).lastIndexOf(10) + 1), Buffer.alloc(5000, " \n")]),
  );
  assert.match(look().problems.join(), /is not where it was/);
  assert.match(inspectJournal(join(data, "nothing"), heads).problems.join(), /gone/);
});

test("the agents that can be given tasks are listed; one that the settings name and is not there is a warning [T8]", async (t) => {
  const { workdir, env, look } = await openWorld(t);
  const PATH = join(workdir, "..", "bin");
  await mkdir(PATH);
  await writeFile(join(PATH, "codex"), "#!/bin/sh\n", { mode: 0o755 });
  const agents = (await look({ PATH })).get("agents");
  assert.equal(agents?.state, "ok");
  assert.equal(
    agents.what,
    "codex, deckhand can be given background tasks. Not installed: claude, gemini, opencode, qwen, pi.",
  );
  const settings = join(env["XDG_CONFIG_HOME"]!, "deckhand");
  await mkdir(settings, { recursive: true });
  await writeFile(
    join(settings, "deckhand.json"),
    JSON.stringify({ agents: { gone: { command: ["gone-cli"] }, codex: { allow_bypass: true } } }),
  );
  const named = (await look({ PATH })).get("agents");
  assert.equal(named?.state, "warning");
  assert.match(named.what, /Tasks may switch off the permission checks of codex \(agents\.codex\.allow_bypass\)\.$/);
  assert.equal(named.fix, 'For gone: install gone-cli, or fix "agents.gone.command" in the settings.');
});
