import assert from "node:assert/strict";
import { test } from "node:test";
import { listTasks, openTasksMachine, waitsForGo } from "./tasks-machine.ts";

test("wrong use of the tasks commands is told in one sentence, and nothing is started [T2] [T8]", async (t) => {
  const machine = await openTasksMachine(t);
  const cases: { args: string[]; code: number; says: RegExp }[] = [
    {
      args: ["start"],
      code: 2,
      says: /^deckhand: Missing argument AGENT\. Usage: deckhand tasks start AGENT \[MESSAGE\]$/,
    },
    { args: ["start", "shell"], code: 2, says: /^deckhand: Missing message\. Run `deckhand tasks start shell "/ },
    { args: ["start", "shel", "x"], code: 2, says: /^deckhand: Unknown agent "shel"\. Did you mean "shell"\?/ },
    {
      args: ["start", "shell", "x", "--timeout", "0"],
      code: 2,
      says: /^deckhand: Invalid value "0" for --timeout: expected a number of seconds greater/,
    },
    {
      args: ["start", "shell", "x", "--timeout", "99999"],
      code: 2,
      says: /^deckhand: Invalid timeout 99999 s: expected .* at most 24 hours\.$/,
    },
    {
      args: ["start", "shell", "x", "--cwd", "nowhere"],
      code: 2,
      says: /The working directory ".*nowhere" does not exist/,
    },
    {
      args: ["start", "shell", "x", "--model", "m"],
      code: 2,
      says: /^deckhand: shell does not support choosing a model/,
    },
    { args: ["start", "shell", "x", "--arg=-v"], code: 2, says: /^deckhand: shell does not accept extra args/ },
    { args: ["start", "shell", "x", "--resume", "s"], code: 2, says: /^deckhand: shell can't resume sessions/ },
    {
      args: ["start", "shell", "x", "--bypass-permissions"],
      code: 2,
      says: /^deckhand: "shell" may not bypass its permission checks/,
    },
    {
      args: ["list", "--state", "runing"],
      code: 2,
      says: /^deckhand: Invalid value "runing" for --state\. Did you mean "running"\?$/,
    },
    { args: ["list", "--agent", "shel"], code: 2, says: /^deckhand: Unknown agent "shel"\. Did you mean "shell"\?$/ },
    { args: ["show", "last"], code: 1, says: /^deckhand: No tasks in / },
    {
      args: ["show", "abc"],
      code: 2,
      says: /^deckhand: "abc" is too short\. Use at least the last 4 characters of the id\.$/,
    },
    {
      args: ["follow", "abcdef12"],
      code: 1,
      says: /^deckhand: No task found for "abcdef12" in .*Run `deckhand tasks` to list tasks\.$/,
    },
    { args: ["cancel"], code: 2, says: /^deckhand: Missing argument ID…\. Usage: deckhand tasks cancel ID…$/ },
    {
      args: ["strat", "shell", "x"],
      code: 2,
      says: /^deckhand: Unknown command "tasks strat"\. Did you mean `deckhand tasks start`\?$/,
    },
  ];
  for (const { args, code, says } of cases) {
    const { stdout, stderr, ...ended } = await machine.run(["tasks", ...args]);
    assert.deepEqual([ended.code, stdout], [code, ""], `${args.join(" ")}: ${stderr}`);
    assert.match(stderr.trimEnd(), says);
    assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
  }
  assert.equal((await machine.run(["tasks", "list", "--json"])).stdout, "[]\n");
});

test("of several tasks none is cancelled when one can't be found, and that is said [T7]", async (t) => {
  const machine = await openTasksMachine(t);
  const id = (await machine.run(["tasks", "start", "shell", waitsForGo, "--quiet"])).stdout.trim();
  const { code, stdout, stderr } = await machine.run(["tasks", "cancel", id, "abcdef12"]);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(
    stderr,
    /^Nothing was cancelled, because not all of the IDs could be resolved\.\ndeckhand: No task found for "abcdef12" in /,
  );
  assert.deepEqual(
    (await listTasks(machine, ["--running"])).map((task) => task.id),
    [id],
  );
});

test("an agent that is not installed says how to install it; the list says which are [T8]", async (t) => {
  const machine = await openTasksMachine(t);
  const env = { PATH: "/usr/bin:/bin" };
  const missing = await machine.run(["tasks", "start", "pi", "hello"], { env });
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /^deckhand: The agent "pi" is not installed: .* To install it: npm install -g \S+$/m);
  const listed = await machine.run(["tasks", "agents", "--json"], { env });
  const agents = JSON.parse(listed.stdout) as Record<string, unknown>[];
  assert.deepEqual(
    agents.find(({ name }) => name === "single"),
    {
      name: "single",
      title: "single",
      installed: true,
      install: 'install sh, or fix "agents.single.command" in the settings',
      can_resume: false,
      limit: 1,
    },
  );
  const table = await machine.run(["tasks", "agents"], { env });
  assert.match(
    table.stdout,
    /^AGENT +INSTALLED +CAN RESUME +LIMIT +NAME OR INSTALL COMMAND\ndeckhand +yes +yes +4 +Deckhand\n/,
  );
  assert.match(table.stdout, /^pi +no +yes +4 +npm install -g /m);
});

test("where tasks are kept in memory only, none is left behind by a command [T4]", async (t) => {
  const machine = await openTasksMachine(t, { store: { kind: "memory" } });
  const refused = await machine.run(["tasks", "start", "shell", "echo hi"]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /^deckhand: Tasks end with this command, because store\.kind is "memory"/);
  const followed = await machine.run(["tasks", "start", "shell", "echo hi", "--follow"]);
  assert.deepEqual([followed.code, followed.stdout], [0, "hi\n"]);
  assert.match(followed.stderr, /^deckhand: warning: Tasks are kept in memory only/);
});

test("only a person may let an agent do as it likes [T8]", async (t) => {
  const machine = await openTasksMachine(t);
  const order = ["tasks", "start", "shell", "echo hi", "--bypass-permissions"];
  const { code, stderr } = await machine.run(order, { env: { DECKHAND_EXECUTION: "call_x" } });
  assert.equal(code, 3);
  assert.match(stderr, /^deckhand: Not allowed from inside a tool call/);
});
