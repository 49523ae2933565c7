import assert from "node:assert/strict";
import { chown, chmod, mkdir, open, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openMachine, type Machine } from "./run-deckhand.ts";

interface BadCase {
  readonly what: string;
  readonly prepare?: (workdir: string) => Promise<void>;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly code: number;
  /** The first line of stderr. */
  readonly sentence: RegExp;
  readonly recorded: Readonly<Record<string, unknown>>;
}

const cases: BadCase[] = [
  {
    what: "an unknown tool",
    args: ["raed", "{}"],
    code: 2,
    sentence: /^deckhand: Unknown tool: raed\.\nDid you mean read/,
    recorded: {
      tool_name: "raed",
      tool_id: null,
      state: "failed",
      error_type: "unknown_tool",
      run_phase: "not_started",
    },
  },
  {
    what: "JSON that does not parse",
    args: ["read", "{file_path: a}"],
    code: 2,
    sentence: /^deckhand: The input of read is not JSON: .+\n.*file_path \(string\)/,
    recorded: { tool_id: "read", tool_input: "{file_path: a}", state: "failed", error_type: "invalid_input" },
  },
  {
    what: "JSON that is no object",
    args: ["read", "[1]"],
    code: 2,
    sentence: /^deckhand: Wrong parameters: the input: expected object, got an array\.\n/,
    recorded: { tool_id: "read", tool_input: [1], state: "failed", error_type: "invalid_input" },
  },
  {
    what: "a missing field",
    args: ["read", '{"filepath":"a"}'],
    code: 2,
    sentence: /^deckhand: Missing parameters: file_path\.\n.*"filepath" \(did you mean file_path\?\)/,
    recorded: { tool_id: "read", state: "failed", error_type: "invalid_input" },
  },
  {
    what: "a field of the wrong type",
    args: ["bash", '{"command":5}'],
    code: 2,
    sentence: /^deckhand: Wrong parameters: command: expected string, got the number 5\.\n/,
    recorded: { tool_id: "bash", state: "failed", error_type: "invalid_input", run_phase: "not_started" },
  },
  {
    what: "a path that is a directory",
    prepare: (workdir) => mkdir(join(workdir, "folder")),
    args: ["read", '{"file_path":"folder"}'],
    code: 1,
    sentence: /^deckhand: folder is a directory.*\n.*list_files/,
    recorded: { tool_id: "read", state: "failed", error_type: "is_directory" },
  },
  {
    what: "a file that does not exist",
    args: ["edit", '{"file_path":"none","old_string":"a","new_string":"b"}'],
    code: 1,
    sentence: /^deckhand: none does not exist/,
    recorded: { tool_id: "edit", state: "failed", error_type: "not_found" },
  },
  {
    what: "a file of 5 GB",
    async prepare(workdir) {
      await writeFile(join(workdir, "huge"), "");
      await truncate(join(workdir, "huge"), 5 * 1024 ** 3);
    },
    args: ["read", '{"file_path":"huge"}'],
    code: 1,
    sentence: /^deckhand: huge is .*(5|5\.4) GB/,
    recorded: { tool_id: "read", state: "failed", error_type: "binary" },
  },
  {
    what: "an edit of a file of 5 GB",
    async prepare(workdir) {
      await writeFile(join(workdir, "huge.txt"), "text\n");
      await truncate(join(workdir, "huge.txt"), 5 * 1024 ** 3);
    },
    args: ["edit", '{"file_path":"huge.txt","old_string":"text","new_string":"b"}'],
    code: 1,
    sentence: /^deckhand: huge\.txt /,
    recorded: { tool_id: "edit", state: "failed" },
  },
  {
    what: "a command that does not exist",
    args: ["bash", '{"command":"no-such-program-here"}'],
    code: 1,
    sentence: /^deckhand: .*127/,
    recorded: { tool_id: "bash", state: "failed", error_type: "exit_code", run_phase: "returned" },
  },
  {
    what: "output without end",
    args: ["bash", '{"command":"yes"}'],
    env: { DECKHAND_LIMITS_MAX_OUTPUT_BYTES: "1000000" },
    code: 1,
    sentence: /^deckhand: .*(output|wrote)/i,
    recorded: { tool_id: "bash", state: "failed", error_type: "output_limit" },
  },
  {
    what: "a command that ignores TERM",
    args: ["bash", `{"command":"trap '' TERM; echo deaf; while :; do sleep 0.1; done"}`, "--timeout", "0.7"],
    code: 124,
    sentence:
      /^deckhand: Timeout after 0\.7 s\.\nStopped after .*(?:All its processes are gone|No remaining process found)/,
    recorded: { tool_id: "bash", state: "timeout", error_type: "timeout", stop_cause: "wall", survivors: [] },
  },
];

describe("bad input gives one clear sentence, the right exit code and a recorded execution [E6]", () => {
  let machine: Machine;
  const cleanups: (() => Promise<void>)[] = [];
  before(async () => {
    machine = await openMachine({ after: (hook) => cleanups.push(hook) });
  });
  after(async () => {
    for (const cleanup of cleanups) await cleanup();
  });

  for (const { what, prepare, args, env = {}, code, sentence } of cases) {
    test(what, async () => {
      await prepare?.(machine.workdir);
      const ended = await machine.run(["tool", ...args], { env });
      assert.match(ended.stderr, sentence);
      assert.doesNotMatch(ended.stderr, /\n\s+at /);
      assert.equal(ended.code, code);
    });
  }

  test("all of them are in the history, newest first", async () => {
    const calls = await listCalls(machine);
    const expected = cases.map(({ recorded }) => recorded).reverse();
    assert.deepEqual(
      calls.map((call, index) => pick(call, expected[index] ?? {})),
      expected,
    );
  });
});

test("an alias in odd case is the tool it means, recorded under both names [P9]", async (t) => {
  const machine = await openMachine(t);
  await writeFile(join(machine.workdir, "a.txt"), "one");
  const { code, stdout } = await machine.run(["tool", "rEAD-fILE", '{"file_path":"a.txt"}']);
  assert.deepEqual({ code, stdout }, { code: 0, stdout: "1\tone\n" });
  assert.deepEqual(pick(await onlyCall(machine), { tool_name: "", tool_id: "" }), {
    tool_name: "rEAD-fILE",
    tool_id: "read",
  });
});

test("a file that is not UTF-8 is read with a note that says so", async (t) => {
  const machine = await openMachine(t);
  await writeFile(join(machine.workdir, "latin.txt"), Buffer.from("caf\xe9\n", "latin1"));
  const { code, stdout } = await machine.run(["tool", "read", '{"file_path":"latin.txt"}']);
  assert.equal(code, 0);
  assert.match(stdout, /^1\tcaf\uFFFD\n\[.*not UTF-8.*\]\n$/);
  assert.equal((await onlyCall(machine))["state"], "completed");
});

const isRoot = process.getuid?.() === 0;

test("a file without permission is refused by the operating system, in one sentence", async (t) => {
  const machine = await openMachine(t);
  const secret = join(machine.workdir, "secret");
  await writeFile(secret, "x", { mode: 0o000 });
  const as = isRoot ? await giveToNobody(machine) : {};
  for (const args of [
    ["read", '{"file_path":"secret"}'],
    ["edit", '{"file_path":"secret","old_string":"x","new_string":"y"}'],
  ]) {
    const { code, stderr } = await machine.run(["tool", ...args], as);
    assert.match(stderr, /^deckhand: secret .*(refused|permission).*\n/);
    assert.equal(code, 1);
  }
  const calls = JSON.parse((await machine.run(["calls", "--json"], as)).stdout) as { error_type: string }[];
  assert.deepEqual(
    calls.map(({ error_type }) => error_type),
    ["access", "access"],
  );
});

test("a workdir that can't be written still reads, warns, and refuses what it could not record", async (t) => {
  const machine = await openMachine(t);
  await writeFile(join(machine.workdir, "a.txt"), "one");
  await mkdir(join(machine.workdir, "open"), { mode: 0o777 });
  const as = isRoot ? await giveToNobody(machine) : {};
  if (isRoot) await chown(machine.workdir, 0, 0);
  await chmod(machine.workdir, 0o555);
  await assertReadsButRefuses(machine, as);
  await chmod(machine.workdir, 0o755);
});

test("a store that is corrupt still lets read, warns, and refuses what it could not record", async (t) => {
  const machine = await openMachine(t);
  await writeFile(join(machine.workdir, "a.txt"), "one");
  await machine.run(["tool", "read", '{"file_path":"a.txt"}']);
  const database = join(machine.workdir, ".deckhand", "deckhand.db");
  await (await open(database, "r+")).close();
  await writeFile(database, "this is not a database, and long enough to be noticed ".repeat(100));
  const before = await readFile(database);
  await assertReadsButRefuses(machine, {});
  assert.deepEqual(await readFile(database), before);
});

async function assertReadsButRefuses(machine: Machine, as: { uid?: number; gid?: number }): Promise<void> {
  const read = await machine.run(["tool", "read", '{"file_path":"a.txt"}'], as);
  assert.deepEqual({ code: read.code, stdout: read.stdout }, { code: 0, stdout: "1\tone\n" });
  assert.match(read.stderr, /^deckhand: warning: The store .*\.\n$/);
  const touch = await machine.run(["tool", "bash", '{"command":"touch open/touched || touch touched"}'], as);
  assert.equal(touch.code, 1);
  assert.match(touch.stderr, /deckhand: Not run: it could not be recorded\. The store .*\n/);
  const missing = await machine.run(["tool", "glob", '{"pattern":"**/touched"}'], as);
  assert.doesNotMatch(missing.stdout, /touched$/m);
  const calls = await machine.run(["calls"], as);
  assert.equal(calls.code, 1);
  assert.match(
    calls.stderr,
    /^deckhand: The store [^\n]+ DECKHAND_STORE_KIND=memory [^\n]+\n$|^deckhand: The store [^\n]+ is damaged [^\n]+\n$/,
  );
  const show = await machine.run(["calls", "show", "abcdef"], as);
  assert.deepEqual({ code: show.code, stderr: show.stderr }, { code: 1, stderr: calls.stderr });
}

/** Root may do everything; so these tests let somebody else run the command. */
async function giveToNobody(machine: Machine): Promise<{ uid: number; gid: number }> {
  const nobody = 65_534;
  const folder = join(machine.workdir, "..");
  for (const path of [folder, machine.workdir]) {
    await chown(path, nobody, nobody);
    await chmod(path, 0o755);
  }
  return { uid: nobody, gid: nobody };
}

async function onlyCall(machine: Machine): Promise<Record<string, unknown>> {
  const calls = await listCalls(machine);
  assert.equal(calls.length, 1);
  return calls[0]!;
}

async function listCalls(machine: Machine): Promise<Record<string, unknown>[]> {
  const { stdout } = await machine.run(["calls", "list", "--json", "--limit", "50"]);
  return JSON.parse(stdout) as Record<string, unknown>[];
}

function pick(record: Readonly<Record<string, unknown>>, keys: object): Record<string, unknown> {
  return Object.fromEntries(Object.keys(keys).map((key) => [key, record[key]]));
}
