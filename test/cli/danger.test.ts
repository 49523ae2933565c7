import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/runtime.ts";
import { openMachine } from "./run-deckhand.ts";

const danger = JSON.stringify({ command: "rm -rf victim" });

test("without a terminal a dangerous call is refused, and says how to name it [L8 G8]", async (t) => {
  const machine = await openMachine(t);
  await mkdir(join(machine.workdir, "victim"));
  const { code, stdout, stderr } = await machine.run(["tool", "bash", danger]);
  assert.deepEqual([code, stdout], [3, ""]);
  assert.match(stderr, /^deckhand: Refused: it is dangerous, and nobody is there to ask: .*\(rm -rf victim\)/);
  const [named] = /--yes-danger \S+/.exec(stderr) ?? [];
  assert.ok(named, stderr);
  assert.ok(existsSync(join(machine.workdir, "victim")));

  const wrong = await machine.run(["tool", "bash", danger, "--yes-danger", "git.force-push"]);
  assert.equal(wrong.code, 3);
  const names = stderr.match(/--yes-danger \S+/g)!.flatMap((each) => each.split(" "));
  const right = await machine.run(["tool", "bash", danger, ...names]);
  assert.equal(right.code, 0, right.stderr);
  assert.ok(!existsSync(join(machine.workdir, "victim")));
});

test("--yes-danger, the inbox and trust are refused inside a tool call: an agent can't say yes to itself [G8]", async (t) => {
  const machine = await openMachine(t);
  const env = { DECKHAND_EXECUTION: "call_x" };
  const commands = [
    ["tool", "bash", danger, "--yes-danger", "delete.recursive"],
    ["inbox", "approve", "1234"],
    ["inbox", "deny", "1234"],
    ["inbox", "answer", "1234", "x"],
    ["trust", "--yes"],
    ["trust", "--adopt", "--yes"],
    ["grants", "revoke", "--all"],
  ];
  for (const command of commands) {
    const { code, stderr } = await machine.run(command, { env });
    assert.equal(code, 3, command.join(" "));
    assert.match(stderr, /Not allowed from inside a tool call/, command.join(" "));
  }
});

test("--inbox lets a dangerous call wait; approve from another process lets it run [L7 L8 G8]", async (t) => {
  const machine = await openMachine(t);
  await mkdir(join(machine.workdir, "victim"));
  const waiting = machine.start(["tool", "bash", danger, "--inbox"]);
  const entry = await until("it waits", async () => {
    const { stdout } = await machine.run(["inbox", "--json"]);
    return (JSON.parse(stdout) as Record<string, never>[])[0];
  });
  assert.deepEqual([entry["kind"], entry["state"]], ["approval", "waiting"]);
  const listed = await machine.run(["inbox"]);
  assert.match(listed.stdout, /danger\s+waiting .* cli .*rm -rf victim/);
  const shown = await machine.run(["inbox", "show", String(entry["id"])]);
  assert.match(shown.stdout, /^From door cli · tool bash\n/m);
  assert.match(shown.stdout, /Dangerous: Run a command\n {2}rm -rf victim\n! /);
  assert.equal((await machine.run(["inbox", "approve", String(entry["id"]), "--scope", "always"])).code, 1);
  const approved = await machine.run(["inbox", "approve", String(entry["id"]).slice(-6)]);
  assert.deepEqual([approved.code, approved.stderr], [0, `${entry["id"]} is approved.\n`]);
  const { code } = await waiting.ended;
  assert.equal(code, 0);
  assert.ok(!existsSync(join(machine.workdir, "victim")));
  const again = await machine.run(["inbox", "deny", String(entry["id"])]);
  assert.deepEqual([again.code, /settled already: approved by/.test(again.stderr)], [1, true]);
});

test("deny from another process refuses the waiting call with the reason [L7]", async (t) => {
  const machine = await openMachine(t);
  const waiting = machine.start(["tool", "bash", danger, "--inbox"]);
  const id = await until("it waits", async () => {
    const { stdout } = await machine.run(["inbox", "--json"]);
    return (JSON.parse(stdout) as { id: string }[])[0]?.id;
  });
  await machine.run(["inbox", "deny", id, "--reason", "not today"]);
  const { code, stderr } = await waiting.ended;
  assert.equal(code, 3);
  assert.match(stderr, /User denied permission[\s\S]*The person said: not today/);
});

test("the call's end withdraws what it asked [L7]", async (t) => {
  const machine = await openMachine(t);
  const waiting = machine.start(["tool", "bash", danger, "--inbox"]);
  await until("it waits", async () => (await machine.run(["inbox", "--json"])).stdout.includes("waiting"));
  waiting.child.kill("SIGINT");
  assert.equal((await waiting.ended).code, 130);
  const { stdout } = await machine.run(["inbox", "list", "--all", "--json"]);
  assert.deepEqual(
    (JSON.parse(stdout) as { state: string }[]).map(({ state }) => state),
    ["withdrawn"],
  );
});

test("two jobs that ask the same are told apart by their names [L7] [D1]", async (t) => {
  const machine = await openMachine(t);
  const work = ["--every", "1d", "--tool", "bash", "--input", '{"command":"rm -rf backups"}'];
  for (const name of ["daily", "weekly"]) await machine.run(["schedule", "add", name, ...work]);
  const runs = ["daily", "weekly"].map((name) => machine.start(["schedule", "run", name, "--inbox"]));
  const ids = await until("both wait", async () => {
    const entries = JSON.parse((await machine.run(["inbox", "--json"])).stdout) as { id: string }[];
    return entries.length === 2 ? entries.map(({ id }) => id) : undefined;
  });
  const { stdout } = await machine.run(["inbox"]);
  for (const name of ["daily", "weekly"]) assert.match(stdout, new RegExp(` job ${name} +Run a command`));
  const shown = await Promise.all(ids.map((id) => machine.run(["inbox", "show", id])));
  assert.deepEqual(
    new Set(
      shown.map((each) => /^From (job \w+ · door schedule · tool bash) · conversation job_/m.exec(each.stdout)?.[1]),
    ),
    new Set(["job daily · door schedule · tool bash", "job weekly · door schedule · tool bash"]),
  );
  for (const id of ids) await machine.run(["inbox", "deny", id]);
  for (const run of runs) assert.equal((await run.ended).code, 1);
});

test("wrong use of the inbox is one sentence [L7]", async (t) => {
  const machine = await openMachine(t);
  const table: [args: string[], message: RegExp][] = [
    [["inbox", "show", "abcdef"], /There is nothing "abcdef" in the inbox/],
    [["inbox", "approve", "ab"], /too short for an id/],
    [
      ["inbox", "approve", "abcdef", "--scope", "forever"],
      /--scope is one of once, conversation, always; got "forever"/,
    ],
    [["inbox", "answer", "abcdef", "--option", "two"], /--option takes the number of an option/],
    [["grants", "revoke"], /Which one\?/],
    [["grants", "revoke", "7"], /There is no grant 7; there are 0/],
    [["trust", "nothing.txt"], /"nothing.txt" is not a file that needs trust/],
  ];
  for (const [args, message] of table) {
    const { code, stderr } = await machine.run(args);
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, message);
  }
  assert.equal((await machine.run(["inbox"])).stderr, "Nothing waits for an answer here.\n");
});

test("a folder's settings that widen count after trust, and no longer when the file changes [G8]", async (t) => {
  const machine = await openMachine(t);
  const file = join(machine.workdir, "deckhand.json");
  await writeFile(file, '{"hooks": {"before": [{"command": ["sh", "-c", "echo no >&2; exit 2"]}]}}');
  const before = await machine.run(["tool", "list_files", "{}"]);
  assert.equal(before.code, 0);
  assert.match(before.stderr, /sets hooks\.before, which a folder may only do when you trust it/);
  const status = await machine.run(["trust", "--status", "--json"]);
  assert.deepEqual(JSON.parse(status.stdout), {
    files: [{ path: "deckhand.json", status: "new" }],
    quarantined: [],
    definitions: [],
  });
  assert.equal((await machine.run(["trust"])).code, 3);
  assert.equal((await machine.run(["trust", "--yes"])).code, 0);
  const trusted = await machine.run(["tool", "list_files", "{}"]);
  assert.deepEqual([trusted.code, trusted.stderr.includes("said no: no")], [3, true], trusted.stderr);
  await writeFile(file, (await readFile(file, "utf8")).replace("no >&2", "NO >&2"));
  assert.equal((await machine.run(["tool", "list_files", "{}"])).code, 0);
  assert.equal((await machine.run(["trust", "--revoke"])).code, 0);
});

test("a .deckhand folder that came with the files is refused until it is taken over [G8]", async (t) => {
  const machine = await openMachine(t);
  await mkdir(join(machine.workdir, ".deckhand"), { mode: 0o700 });
  await writeFile(join(machine.workdir, ".deckhand", "deckhand.db"), "");
  const refused = await machine.run(["tool", "write", '{"file_path":"a","content":"b"}']);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /was not made by you on this machine.*deckhand trust --adopt/);
  assert.ok(!existsSync(join(machine.workdir, "a")));
  assert.equal((await machine.run(["trust", "--adopt", "--yes"])).code, 0);
  assert.equal((await machine.run(["tool", "write", '{"file_path":"a","content":"b"}'])).code, 0);
});
