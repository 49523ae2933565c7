import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { lane, rootLane } from "../support/require.ts";
import { until } from "../support/runtime.ts";
import { mountTmpfs, remount, tmpfsAvailable } from "../support/tmpfs.ts";
import { openMachine, type Ended, type Machine, type RunOptions } from "./run-deckhand.ts";

interface Row {
  readonly name: string;
  readonly state: "ok" | "warning" | "problem";
  readonly what: string;
  readonly fix: string | null;
}

interface Found {
  readonly ended: Ended;
  readonly ok: boolean;
  readonly checks: readonly Row[];
  readonly row: (name: string) => Row | undefined;
}

async function ask(machine: Machine, options: RunOptions & { readonly args?: readonly string[] } = {}): Promise<Found> {
  const ended = await machine.run(["doctor", "--json", ...(options.args ?? [])], options);
  assert.equal(ended.stderr, "");
  const { ok, checks } = JSON.parse(ended.stdout) as { ok: boolean; checks: Row[] };
  return { ended, ok, checks, row: (name) => checks.find((check) => check.name === name) };
}

const write = JSON.stringify({ file_path: "a.txt", content: "a" });

test("doctor says what works in a fresh folder, exits 0, and makes nothing there [G10]", async (t) => {
  const machine = await openMachine(t);
  const { ended, ok, checks, row } = await ask(machine);
  assert.deepEqual([ended.code, ok], [0, true], ended.stdout);
  assert.deepEqual(readdirSync(machine.workdir), []);
  assert.ok(!existsSync(machine.env["XDG_STATE_HOME"]!));
  const names = checks.map(({ name }) => name);
  for (const name of [
    "node",
    "platform",
    "settings",
    "sandbox",
    "stop",
    "files",
    "strict",
    "records",
    "state",
    "disk",
  ]) {
    assert.ok(names.includes(name), name);
  }
  for (const name of [
    "store",
    "log",
    "mode",
    "rules",
    "trust",
    "secrets",
    "bash",
    "python",
    "git",
    "ripgrep",
    "others",
  ]) {
    assert.ok(names.includes(name), name);
  }
  assert.match(row("records")!.what, /is not there yet/);
});

test("doctor prints a mark, a name and a sentence for each row, with what to do below, and no colour off a terminal", async (t) => {
  const machine = await openMachine(t);
  const { code, stdout } = await machine.run(["doctor"], { env: { DECKHAND_SANDBOX: "off" } });
  assert.equal(code, 0);
  assert.match(stdout, /^✓ node +Node \d+\.\d+\.\d+\.$/m);
  assert.match(
    stdout,
    /^! sandbox +Commands run without a sandbox: it is switched off\..*\n +→ Set "sandbox" to "auto"/m,
  );
  assert.match(stdout, /\n\d warnings?\. /);
  assert.ok(!stdout.includes("\u001b"));
});

test("doctor leaves journal and store as they are, and finds them whole", async (t) => {
  const machine = await openMachine(t);
  await machine.run(["tool", "write", write]);
  const files = ["deckhand.db", "logs/chat_log.jsonl"].map((name) => join(machine.workdir, ".deckhand", name));
  const before = files.map((path) => readFileSync(path));
  const names = readdirSync(join(machine.workdir, ".deckhand"));
  const { ended, row } = await ask(machine);
  assert.equal(ended.code, 0, ended.stdout);
  assert.deepEqual(readdirSync(join(machine.workdir, ".deckhand")), names);
  assert.deepEqual(
    files.map((path) => readFileSync(path)),
    before,
  );
  assert.match(row("store")!.what, /version \d+, .*a quick check found it whole/);
  assert.match(row("log")!.what, /1 file, .*its end fits what the store remembers/);
  assert.match(row("records")!.what, /is yours/);
});

test("doctor calls no store well that a call would not find so, and a version set back is no damage", async (t) => {
  const machine = await openMachine(t);
  await machine.run(["tool", "write", write]);
  const change = (sql: string): void => {
    const database = new DatabaseSync(join(machine.workdir, ".deckhand", "deckhand.db"));
    database.exec(sql);
    database.close();
  };
  change("PRAGMA user_version = 0");
  const older = await ask(machine);
  assert.deepEqual([older.ended.code, older.row("store")!.state], [0, "ok"]);
  assert.equal((await machine.run(["calls"])).code, 0);
  change("DROP TABLE task_orders; DROP TABLE tasks");
  const lacking = await ask(machine);
  assert.deepEqual([lacking.ended.code, lacking.row("store")!.state], [1, "problem"]);
  assert.match(lacking.row("store")!.what, /: tasks, task_orders are missing, and what was in there is lost\.$/);
  const call = await machine.run(["tool", "list_files"]);
  assert.match(call.stderr, /warning: In the store .* the tables were missing: tasks, task_orders\./s);
  const after = await ask(machine);
  assert.deepEqual([after.ended.code, after.row("store")!.state], [0, "ok"]);
  change("ALTER TABLE inbox RENAME COLUMN settlement TO other");
  const other = await ask(machine);
  assert.deepEqual([other.ended.code, other.row("store")!.state], [1, "problem"]);
});

test("an invalid deckhand.json, a damaged store and a log that was cut are problem rows, not a crash", async (t) => {
  const machine = await openMachine(t);
  const file = join(machine.workdir, "deckhand.json");
  for (const text of ["{ limits", '{ "limit": {} }', '{ "sandbox": "perhaps" }']) {
    writeFileSync(file, text);
    const { ended, row } = await ask(machine);
    assert.equal(ended.code, 1);
    assert.equal(row("settings")?.state, "problem");
    assert.equal(row("bash")?.state, "ok");
  }
  await rm(file);

  await machine.run(["tool", "write", write]);
  const log = join(machine.workdir, ".deckhand", "logs", "chat_log.jsonl");
  const lines = readFileSync(log, "utf8").split("\n");
  writeFileSync(log, `${lines.slice(0, -2).join("\n")}\n`);
  const cut = await ask(machine);
  assert.deepEqual([cut.ended.code, cut.row("log")?.state], [1, "problem"]);

  writeFileSync(
    join(machine.workdir, ".deckhand", "deckhand.db"),
    "no database at all, but long enough to look at".repeat(50),
  );
  const damaged = await ask(machine);
  assert.deepEqual([damaged.ended.code, damaged.row("store")?.state], [1, "problem"]);
  assert.match(damaged.row("store")!.what, /is damaged/);
});

test("a .deckhand that is not ours, is a link, or lets others in is told [G10]", async (t) => {
  const machine = await openMachine(t);
  const data = join(machine.workdir, ".deckhand");
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(join(data, "owner"), "somebody\n");
  const foreign = await ask(machine);
  assert.deepEqual([foreign.ended.code, foreign.row("records")?.state], [1, "problem"]);
  assert.match(foreign.row("records")!.what, /was not made by you/);
  await rm(data, { recursive: true });

  mkdirSync(join(machine.workdir, "elsewhere"));
  symlinkSync("elsewhere", data);
  assert.match((await ask(machine)).row("records")!.what, /it is a link/);
  await rm(data);

  writeFileSync(data, "");
  assert.match((await ask(machine)).row("records")!.what, /it is not a folder/);
  await rm(data);

  await machine.run(["tool", "write", write]);
  chmodSync(data, 0o755);
  const open = await ask(machine);
  assert.deepEqual([open.ended.code, open.row("records")?.state], [0, "warning"]);
  assert.match(open.row("records")!.fix!, /chmod/);
  chmodSync(data, 0o777);
  assert.equal((await ask(machine)).row("records")?.state, "problem");
});

test("a state folder that others can write is a problem: they could say yes in the person's place", async (t) => {
  const machine = await openMachine(t);
  const state = join(machine.env["XDG_STATE_HOME"]!, "deckhand");
  mkdirSync(state, { recursive: true });
  chmodSync(state, 0o777);
  const { ended, row } = await ask(machine);
  assert.deepEqual([ended.code, row("state")?.state], [1, "problem"]);
});

test("pipes and folders in the place of files are told, and nobody waits for them", async (t) => {
  const machine = await openMachine(t);
  const data = join(machine.workdir, ".deckhand");
  await machine.run(["tool", "write", write]);
  for (const [path, name] of [
    [join(machine.workdir, "deckhand.json"), "settings"],
    [join(data, "deckhand.db"), "store"],
    [join(data, "logs"), "log"],
  ] as const) {
    for (const make of [mkdirSync, (at: string): unknown => execFileSync("mkfifo", ["-m", "600", at])]) {
      if (make === mkdirSync && name === "log") continue;
      await rm(path, { recursive: true, force: true });
      make(path);
      const { ended, row } = await ask(machine);
      assert.deepEqual([ended.code, row(name)?.state], [1, "problem"], name);
    }
  }
});

test("without a place for temporary files one row says so, and the others are there", async (t) => {
  const machine = await openMachine(t);
  const { ended, row } = await ask(machine, { env: { TMPDIR: join(machine.workdir, "none") } });
  assert.deepEqual([ended.code, row("temporary files")?.state, row("store")?.state], [1, "problem", "ok"]);
});

test("a workdir that does not exist is a problem row", async (t) => {
  const machine = await openMachine(t);
  const { ended, row } = await ask(machine, { args: ["--workdir", "none"] });
  assert.equal(ended.code, 1);
  assert.match(row("workdir")!.what, /does not exist/);
});

test("a required sandbox is tried by running it, and programs are looked for whether it works or not [G4]", async (t) => {
  const machine = await openMachine(t);
  const { ended, row } = await ask(machine, { env: { DECKHAND_SANDBOX: "require", STRICT_WORKDIR_ONLY: "1" } });
  assert.equal(row("bash")?.state, "ok");
  assert.equal(row("sandbox")?.state === "problem", ended.code === 1);
  assert.match(row("strict")!.what, /STRICT_WORKDIR_ONLY is on/);
});

test("secrets of the environment are counted, and neither their names nor their values are shown", async (t) => {
  const machine = await openMachine(t);
  const value = "q7Zt0vKx93LmWw2bEr";
  const { ended, row } = await ask(machine, { env: { ACME_API_KEY: value, DB_PASSWORD: `${value}2` } });
  assert.match(row("secrets")!.what, /^2 variables/);
  assert.ok(!ended.stdout.includes(value) && !ended.stdout.includes("ACME_API_KEY"));
});

test("another runtime at work and a question that waits are told", async (t) => {
  const machine = await openMachine(t);
  mkdirSync(join(machine.workdir, "victim"));
  const waiting = machine.start(["tool", "bash", JSON.stringify({ command: "rm -rf victim" }), "--inbox"], {
    stdin: null,
  });
  t.after(() => void waiting.child.kill("SIGKILL"));
  await until("the question waits", async () => (await machine.run(["inbox", "--json"])).stdout.includes('"waiting"'));
  const { row } = await ask(machine);
  assert.deepEqual([row("inbox")?.state, row("inbox")?.fix], ["warning", "deckhand inbox"]);
  assert.match(row("others")!.what, new RegExp(`pid ${waiting.child.pid}`));
  waiting.child.kill("SIGTERM");
  await waiting.ended;
  assert.match((await ask(machine)).row("others")!.what, /No other runtime/);
});

test("a tool file that was broken since it last worked is a warning", async (t) => {
  const machine = await openMachine(t);
  await machine.run(["tools", "new", "greet"]);
  await machine.run(["tool", "greet", '{"text": "a"}']);
  const working = (await ask(machine)).row("tools")!;
  assert.deepEqual([working.state, working.what], ["ok", "1 tool file in tools, 1 of them in use (greet)."]);
  writeFileSync(join(machine.workdir, "tools", "greet.ts"), "oops(");
  const { state, what, fix } = (await ask(machine)).row("tools")!;
  assert.equal(state, "warning");
  assert.match(
    what,
    /tools\/greet\.ts was changed and has not been loaded since; until it is, calls run the version before\.$/,
  );
  assert.match(fix!, /`deckhand tools` loads it, or says what is wrong/);
});

test("nothing that a folder brings along is run for its version", async (t) => {
  const machine = await openMachine(t);
  const bin = join(machine.workdir, "bin");
  mkdirSync(bin);
  const trace = join(machine.workdir, "trace");
  for (const name of ["git", "python3", "bash"]) {
    writeFileSync(join(bin, name), `#!/bin/sh\ntouch ${trace}\necho evil 1.0\n`, { mode: 0o755 });
  }
  const { row } = await ask(machine, { env: { PATH: `${bin}:${machine.env["PATH"]}`, DECKHAND_SANDBOX: "off" } });
  assert.ok(!existsSync(trace));
  assert.match(row("PATH")!.what, /inside the workdir/);
});

test("on a read-only disk doctor says that nothing can be recorded", lane("tmpfs", tmpfsAvailable()), async (t) => {
  const machine = await openMachine(t);
  const disk = mountTmpfs(t, "8m");
  const args = ["--workdir", disk];
  await machine.run(["tool", "write", write, ...args]);
  remount(disk, "ro");
  const { ended, row } = await ask(machine, { args });
  assert.equal(ended.code, 1);
  assert.equal(row("records")?.state, "problem");
  assert.match(row("store")!.what, /a quick check found it whole/);
  remount(disk, "rw");
});

test("a folder of another user is told as such", rootLane(), async (t) => {
  const machine = await openMachine(t);
  const data = join(machine.workdir, ".deckhand");
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, 65534, 65534);
  assert.match((await ask(machine)).row("records")!.what, /belongs to another user/);
});
