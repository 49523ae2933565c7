import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { tmuxLane } from "../support/tmux.ts";
import { openMachine, type Ended, type Machine } from "./run-deckhand.ts";
import { openTalk } from "./talk.ts";

const lane = tmuxLane();

interface Played extends Machine {
  task(words: string, ...args: readonly string[]): Promise<Ended>;
}

async function openPlayed(t: TestContext, script: unknown): Promise<Played> {
  const machine = await openMachine(t);
  await writeFile(join(machine.workdir, "script.json"), JSON.stringify(script));
  return {
    ...machine,
    task: (words, ...args) => machine.run(["run", words, "--model", "script:script.json", ...args]),
  };
}

const reading = [
  { text: "I look.", calls: [{ tool: "read", input: { file_path: "notes.txt" } }] },
  "I read `notes.txt` and `other.txt`.",
];

test("sessions lists the conversations, newest first, and reset makes the next --continue start anew [L2]", async (t) => {
  const machine = await openPlayed(t, ["One.", "Two."]);
  const none = await machine.run(["sessions"]);
  assert.deepEqual([none.code, none.stdout], [0, ""]);
  assert.match(none.stderr, /^There is no conversation here yet/);
  assert.match((await machine.run(["reset"])).stderr, /^There is no conversation to forget\.$/m);

  await machine.task("first words");
  await machine.task("second words");
  const listed = (await machine.run(["sessions"])).stdout.split("\n");
  assert.match(listed[0]!, /^SESSION +AGE +PROMPTS +CALLS +MODEL +BEGINS$/);
  assert.match(listed[1]!, / 1 +0 +script:\S+ +second words$/);
  assert.match(listed[2]!, / 1 +0 +script:\S+ +first words$/);
  const [newest] = JSON.parse((await machine.run(["sessions", "--json"])).stdout) as { id: string }[];
  const only = JSON.parse((await machine.run(["sessions", "--json", "--limit", "1"])).stdout) as { id: string }[];
  assert.deepEqual(
    only.map(({ id }) => id),
    [newest!.id],
  );
  assert.equal((await machine.run(["sessions", "--limit", "0"])).code, 2);

  const reset = await machine.run(["reset", "--json"]);
  assert.deepEqual(JSON.parse(reset.stdout), { session: newest!.id });
  assert.equal((await machine.task("begin", "--continue")).stdout, "One.\n");
  assert.equal((await machine.task("go on", "--continue")).stdout, "Two.\n");
  assert.equal((await machine.task("go on", "--session", newest!.id)).stdout, "Two.\n");
  const after = JSON.parse((await machine.run(["sessions", "--json"])).stdout) as { id: string; title: string }[];
  assert.deepEqual(
    after.map(({ title }) => title),
    ["second words", "begin", "first words"],
  );
});

test("record makes a script that gives the same calls and answers again [L2]", async (t) => {
  const machine = await openPlayed(t, reading);
  await writeFile(join(machine.workdir, "notes.txt"), "words");
  const nothing = await machine.run(["record"]);
  assert.deepEqual([nothing.code, nothing.stdout], [2, ""]);
  const first = await machine.task("read it");
  const written = await machine.run(["record", "--output", "again.json"]);
  assert.equal(written.code, 0, written.stderr);
  assert.match(written.stderr, /^Written: again\.json\. Play it: deckhand run --model script:again\.json/);
  const printed = await machine.run(["record"]);
  assert.equal(printed.stdout, await readFile(join(machine.workdir, "again.json"), "utf8"));

  const second = await machine.run(["run", "read it", "--model", "script:again.json"]);
  assert.equal(second.stdout, first.stdout);
  const calls = JSON.parse((await machine.run(["calls", "--json"])).stdout) as Record<string, unknown>[];
  assert.equal(calls.length, 2);
  const [a, b] = calls.map(({ tool_name: tool, tool_input: input, result }) => ({ tool, input, result }));
  assert.deepEqual(a, b);

  const twice = await machine.run(["record", "--output", "again.json"]);
  assert.deepEqual([twice.code, twice.stdout], [2, ""]);
  assert.match(twice.stderr, /again\.json is there already; name another file, or remove it first\.$/m);
  const nowhere = await machine.run(["record", "--output", "no/such/folder.json"]);
  assert.equal(nowhere.code, 2);
  assert.match(nowhere.stderr, /^deckhand: \S+no\/such\/folder\.json can't be written: .*\n$/);
});

test("a conversation in which the model said nothing can't be recorded, and that is said [L2]", async (t) => {
  const machine = await openPlayed(t, [{ fail: { kind: "key", times: "always" } }]);
  assert.equal((await machine.task("hello")).code, 1);
  const { code, stdout, stderr } = await machine.run(["record"]);
  assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
  assert.match(stderr, /^deckhand: In ses_\S+ the model said nothing that could be played again\.$/m);
});

test("log evidence shows the last answer, one by its id, and all of a conversation [D5]", async (t) => {
  const machine = await openPlayed(t, reading);
  await writeFile(join(machine.workdir, "notes.txt"), "words");
  await machine.task("read it");
  // A later conversation without an answer does not hide the last answer there is.
  await writeFile(join(machine.workdir, "script.json"), JSON.stringify([{ fail: { kind: "key", times: "always" } }]));
  await machine.task("hello");

  const last = await machine.run(["log", "evidence", "last"]);
  assert.equal(last.code, 0, last.stderr);
  assert.match(last.stdout, /^[0-9a-f]{8} · .* · I read `notes\.txt` and `other\.txt`\.\n/);
  assert.match(last.stdout, /^✓ \S+ `notes\.txt`: matched\. .*\[call_/m);
  assert.match(last.stdout, /^\? \S+ `other\.txt`: unmatched\./m);

  const document = JSON.parse((await machine.run(["log", "evidence", "last", "--json"])).stdout);
  assert.deepEqual(
    document.report.claims.map(({ text, verdict }: Record<string, string>) => [text, verdict]),
    [
      ["notes.txt", "matched"],
      ["other.txt", "unmatched"],
    ],
  );
  for (const id of [document.answer_id, document.session_id]) {
    assert.equal((await machine.run(["log", "evidence", id])).stdout, last.stdout);
  }
});

test(
  "resume goes on with the last conversation or the one named, and says what it does not know [L2]",
  lane,
  async (t) => {
    const talk = await openTalk(t, { script: ["First.", "Second.", "Third."] });
    await talk.seePrompt();
    await talk.say("alpha");
    await talk.see("First.");
    await talk.seePrompt();
    await talk.press("C-d");
    const shown = await talk.see(/^code 0$/m);
    const [, id] = /deckhand resume ([0-9a-f]{8}) /.exec(shown)!;

    await talk.start("resume", "--model", "script:script.json");
    await talk.see(/Going on with ses_.*: 1 prompt so far\.\n› alpha\nFirst\.\n/);
    await talk.seePrompt();
    await talk.say("beta");
    await talk.see("Second.");
    await talk.seePrompt();
    await talk.press("C-d");
    await talk.see(/^code 0$/m);

    await talk.start("resume", id!, "--model", "script:script.json");
    await talk.see(/2 prompts so far\.\n› beta\nSecond\./);
    await talk.seePrompt();
    const busy = await talk.machine.run(["run", "x", "--session", id!, "--model", "script:script.json"]);
    assert.equal(busy.code, 1);
    assert.match(busy.stderr, /^deckhand: The session ses_\S+ is in use by process \d+ /);
    await talk.press("C-d");
    await talk.see(/^code 0$/m);

    await talk.start("resume", "zzzz", "--model", "script:script.json");
    await talk.see(/deckhand: There is no session "zzzz"\./);
    await talk.seeRestored(2);
  },
);

test("agent with a prompt starts with it; chat offers no tools [L2]", lane, async (t) => {
  const talk = await openTalk(t, { script: ["Hello {{last_user}}"], args: ["agent", "you there"] });
  await talk.see("› you there\nHello you there");
  await talk.seePrompt();
  await talk.press("C-d");
  await talk.see(/^code 0$/m);

  await talk.put("script.json", JSON.stringify({ without_tools: "I have none.", turns: ["I have tools."] }));
  await talk.start("chat", "--model", "script:script.json");
  await talk.see(/^deckhand · script:.* · no tools · /m);
  await talk.seePrompt();
  await talk.say("which tools?");
  await talk.see("I have none.");
});

test("a conversation without a terminal is refused with what to use instead [L2]", async (t) => {
  const machine = await openPlayed(t, ["Said."]);
  for (const [command, instead] of [
    [["agent"], 'deckhand run "…"'],
    [["chat", "hello"], 'deckhand run "…"'],
    [["resume"], 'deckhand run --session ID "…"'],
  ] as const) {
    const { code, stderr } = await machine.run([...command, "--model", "script:script.json"]);
    assert.equal(code, 2);
    assert.equal(stderr, `deckhand: A conversation needs a terminal to type in; without one, use ${instead}\n`);
  }
  const task = await machine.run(["agent", "do it", "--model", "script:script.json"]);
  assert.deepEqual([task.code, task.stdout], [0, "Said.\n"]);
});

test("a terminal that can't move its cursor is refused by its name [L2]", lane, async (t) => {
  const talk = await openTalk(t, { script: ["Never."], args: ["sessions"], columns: 200 });
  await talk.see(/^code 2$/m);
  await talk.type("export TERM=dumb");
  await talk.press("Enter");
  await talk.start("agent", "--model", "script:script.json");
  await talk.see("and TERM=dumb says that this one can't: set TERM to what it is");
  await talk.see(/^code 2$/m);
});

test("--help lists every command in a group, and each has an example of its own [L2]", async (t) => {
  const machine = await openMachine(t);
  const { stdout } = await machine.run(["--help"]);
  for (const title of [
    "Talk to a model",
    "Conversations",
    "Tools and their calls",
    "What you decide",
    "What was done",
  ]) {
    assert.match(stdout, new RegExp(`^${title}:\n  deckhand`, "m"));
  }
  for (const name of ["agent", "chat", "run", "resume", "sessions", "reset", "record", "demo"]) {
    assert.match(stdout, new RegExp(`^  deckhand ${name}(?: \\[\\w+\\])? {2,}\\S`, "m"));
    const help = (await machine.run([name, "--help"])).stdout;
    assert.match(help, /^Examples?:\n {2}deckhand/m, name);
    assert.match(help, new RegExp(`^Usage: deckhand ${name}`, "m"));
  }
});

test("a conversation goes on with its own model, and a change of it is told [L2 L3]", async (t) => {
  const machine = await openPlayed(t, ["One.", "Two.", "Three."]);
  await machine.task("first words");
  const again = await machine.run(["run", "-c", "go on", "--quiet"]);
  assert.deepEqual([again.code, again.stdout, again.stderr], [0, "Two.\n", ""]);
  await writeFile(join(machine.workdir, "other.json"), JSON.stringify(["Other one.", "Other two.", "Other three."]));
  await rm(join(machine.workdir, "script.json"));
  const gone = await machine.run(["run", "-c", "go on"], { env: { DECKHAND_MODEL: "script:other.json" } });
  assert.deepEqual([gone.code, gone.stdout], [0, "Other three.\n"]);
  assert.match(gone.stderr, /^This conversation was with script:\S+script\.json, which can't be used now: /m);
});
