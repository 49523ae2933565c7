import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { serveScript, type Script, type ScriptServer } from "deckhand/testing";
import { openTalk } from "../cli/talk.ts";
import { afterTest } from "../support/after-test.ts";
import { tmuxLane } from "../support/tmux.ts";
import {
  openCommand,
  openConversation,
  openLibrary,
  parseLines,
  wholeFile,
  type Command,
  type Json,
  type Scope,
} from "./seed-support.ts";

// Source document 003: the loop, the modes, and what becomes of failures.

let command: Command;

before(async () => {
  command = await openCommand(wholeFile, { files: { "hello.txt": "hello\n" } });
});

const read = (name: string) => ({ tool: "read", input: { file_path: name } });

test("3-1 the model calls tools, gets their results, and goes on until it answers", async () => {
  const events = await command.events([
    { calls: [read("hello.txt")] },
    { calls: [{ tool: "grep", input: { pattern: "hello" } }], expect: { tool_result: "1\thello" } },
    { text: "All read.", expect: { tool_result: "hello.txt" } },
  ]);
  const end = events.at(-1)!;
  assert.deepEqual(
    [end["type"], end["state"], end["text"], end["statistics"].turns],
    ["run:ended", "answered", "All read.", 3],
  );
});

test("3-2 a run has 20 turns at most, or as many as --max-turns says, and can be continued", async (t) => {
  const own = await openCommand(t, { files: { "hello.txt": "hello\n" } });
  const endless = { at_end: "loop", turns: [{ calls: [read("hello.txt")] }] };
  const end = (await own.events(endless)).at(-1)!;
  assert.deepEqual([end["state"], end["statistics"].turns], ["max_turns", 20]);
  const { code, stderr } = await own.run(["run", "go", "--model", "script:script.json", "--max-turns", "3"]);
  assert.equal(code, 1);
  assert.match(stderr, /limit of 3 turns \(limits\.max_turns\)\.\ndeckhand run -c "go on" continues\./);
});

test("3-3 the history is kept: the next run of the conversation has it", async (t) => {
  const own = await openCommand(t);
  const [started] = await own.events(["My name is Ada.", "You asked twice."], ["Who are you?"]);
  const events = await own.events(["My name is Ada.", "You asked twice."], ["And again?", "--continue"]);
  assert.equal(events[0]!["session_id"], started!["session_id"]);
  assert.equal(events.at(-1)!["text"], "You asked twice.");
  assert.match(await own.read(`.deckhand/sessions/${started!["session_id"]}.jsonl`), /Who are you\?[\s\S]*And again\?/);
});

describe("3-4 --force-tool", () => {
  async function force(
    t: Scope,
    model: string,
    args: readonly string[] = [],
  ): Promise<{ choice: Json; events: Json[] }> {
    const server = await serve(t, { turns: ["I need no tool."] });
    const env = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url };
    const words = ["run", "Fix the tests", "--model", model, "--force-tool", "--json", ...args];
    const { stdout } = await command.run(words, { env });
    return { choice: server.requests[0]?.body["tool_choice"], events: parseLines(stdout) };
  }

  test("3-4 makes the first reply call a tool, where the model can be forced", async (t) => {
    const { choice, events } = await force(t, "anthropic/claude-haiku-4-5");
    assert.equal(choice.type, "any");
    assert.deepEqual(noticesIn(events), []);
  });

  test("3-4 says so where the model can't be forced, as the default one", async (t) => {
    const { choice, events } = await force(t, "anthropic/claude-sonnet-5-5");
    assert.notEqual(choice?.type, "any");
    assert.deepEqual(noticesIn(events), [
      "--force-tool (model.force_first_tool) has no effect: anthropic/claude-sonnet-5-5 can't be forced to call a tool, so it may answer without one.",
    ]);
  });

  test("3-4 says so where the prompt is a plain question", async () => {
    const events = await command.events(["Four."], ["What is two plus two?", "--force-tool"]);
    assert.deepEqual(noticesIn(events), ["--force-tool (model.force_first_tool) has no effect on a plain question."]);
  });
});

test("3-5 what happened can be followed afterwards: events and the log", async (t) => {
  const own = await openCommand(t, { files: { "hello.txt": "hello\n" } });
  const events = await own.events([{ calls: [read("hello.txt")] }, "Done."], ["Look at it."]);
  const types = events.map(({ type }) => type);
  for (const type of ["run:started", "turn:started", "call:added", "call:settled", "reply:finished", "run:ended"]) {
    assert.ok(types.includes(type), type);
  }
  const lines = (await own.log()).map(({ type }) => type);
  for (const type of ["user_input", "tool_call", "tool_result", "assistant_output"])
    assert.ok(lines.includes(type), type);
});

test("3-5 every event says the version of its format, calls have their input, the end has its session", async () => {
  const events = await command.events([{ calls: [read("hello.txt")] }, "Done."]);
  assert.ok(events.every(({ v }) => v === 1));
  const added = events.find(({ type }) => type === "call:added")!;
  assert.deepEqual(added["input"], { file_path: "hello.txt" });
  assert.equal(events.at(-1)!["session_id"], events[0]!["session_id"]);
  const settled = events.find(({ type }) => type === "call:settled")!;
  assert.match(`${settled["duration_ms"]}`, /^\d+(?:\.\d{1,3})?$/);
});

test("3-5 the log of one conversation has its results and errors, with call, tool and conversation", async (t) => {
  const own = await openCommand(t, { files: { "hello.txt": "hello\n" } });
  const turns = [
    { calls: [read("hello.txt"), read("missing.txt"), { tool: "write", input: { file_path: "n", content: "" } }] },
    "Done.",
  ];
  const end = (await own.events(turns)).at(-1)!;
  const { stdout } = await own.run(["log", "tail", "--conversation", end["session_id"], "--lines", "50", "--json"]);
  const lines = parseLines(stdout);
  for (const type of ["tool_call", "tool_result", "tool_error", "decision"]) {
    const line = lines.find((each) => each["type"] === type);
    assert.match(line?.["id"] ?? "", /^call_/, type);
    assert.match(line!["tool_name"], /^(?:read|write)$/);
  }
  assert.equal((await own.run(["log", "verify"])).code, 0);
});

describe("the modes", () => {
  test("3-6 agent: a conversation with tools", tmuxLane(), async (t) => {
    const talk = await openTalk(t, { script: ["Hello!"], args: ["agent", "hello"] });
    await talk.see("Hello!");
    assert.match(await talk.scrollback(), /deckhand · \S+ · \d+ tools · /);
  });

  test("3-7 chat: the model gets no tools, and what it calls all the same is not run", async (t) => {
    const runtime = await openLibrary(t, { files: { "hello.txt": "secret words\n" } });
    const calls = [
      read("hello.txt"),
      { tool: "list_files", input: {} },
      { tool: "bash", input: { command: "echo ran" } },
    ];
    const turns = [{ calls }, "Sorry."];
    const conversation = await openConversation(t, runtime, { turns, request: { mode: "chat" } });
    await conversation.send("hello");
    assert.deepEqual(conversation.requests[0]!.tools, []);
    const records = await runtime.list();
    assert.deepEqual(
      records.map(({ state, runPhase, errorType }) => [state, runPhase, errorType]),
      records.map(() => ["failed", "not_started", "unknown_tool"]),
    );
    assert.equal(records.length, 3);
    for (const { result } of records) {
      assert.match((result?.ok === false && result.hint) || "", /not offered here\. The tools are: none\.$/);
    }
  });

  test("3-7 a tool that is not offered to this conversation is not run, and no hint names it", async (t) => {
    const runtime = await openLibrary(t);
    const turns = [
      {
        calls: [
          { tool: "list_tasks", input: {} },
          { tool: "list_file", input: {} },
        ],
      },
      "Sorry.",
    ];
    const conversation = await openConversation(t, runtime, { turns });
    await conversation.send("Look at the files.");
    const offered = conversation.requests[0]!.tools.map(({ name }) => name);
    const [near, hidden] = await runtime.list();
    assert.equal(near!.state, "failed");
    assert.ok(!offered.includes("list_tasks") ? hidden!.errorType === "unknown_tool" : hidden!.state === "completed");
    for (const { result } of [near!, hidden!]) {
      const hint = (result?.ok === false && result.hint) || "";
      const named = hint
        .replace(/^"[^"]*" (?:is|means \S+, which is) not offered here\. /, "")
        .match(/\b[a-z]+_[a-z_]+\b/g);
      for (const name of named ?? []) assert.ok(offered.includes(name), `${name} in: ${hint}`);
    }
  });

  test("3-7 chat: /tools lists none", tmuxLane(), async (t) => {
    const talk = await openTalk(t, { script: ["Hello!"], args: ["chat"] });
    await talk.seePrompt();
    await talk.say("/tools");
    const shown = await talk.see("No tools: this is a chat.");
    assert.doesNotMatch(shown, /^bash\s/m);
  });

  test("3-8 run: one task, from an argument or stdin, with an exit code", async () => {
    await command.put("script.json", JSON.stringify(["{{last_user}}"]));
    const model = ["--model", "script:script.json"];
    const said = await command.run(["run", "do this", ...model]);
    assert.deepEqual([said.code, said.stdout], [0, "do this\n"]);
    const piped = await command.run(["run", ...model], { stdin: "do that\n" });
    assert.deepEqual([piped.code, piped.stdout], [0, "do that\n"]);
    assert.equal((await command.run(["run", ...model])).code, 2);
  });

  test("3-9 reset: the next conversation is a new one, and the old one can be resumed", async (t) => {
    const own = await openCommand(t);
    const [first] = await own.events(["One."]);
    assert.equal((await own.run(["reset"])).code, 0);
    const again = await own.run(["run", "more", "--continue", "--model", "script:script.json", "--json"]);
    assert.notEqual(parseLines(again.stdout)[0]?.["session_id"], first!["session_id"]);
    const sessions: { id: string }[] = await own.json(["sessions"]);
    assert.ok(sessions.some(({ id }) => id === first!["session_id"]));
  });
});

describe("failures", () => {
  test("3-40 a failure goes back to the model, with what to do about it", async () => {
    const events = await command.events([
      { calls: [read("missing-3-40.txt")] },
      {
        text: "I see.",
        expect: { tool_result: { contains: ["Error: missing-3-40.txt does not exist.", "Hint: "], is_error: true } },
      },
    ]);
    assert.equal(events.at(-1)!["state"], "answered", events.at(-1)!["reason"]);
  });

  test("3-41 the model tries again with corrected input", async () => {
    const events = await command.events([
      { calls: [{ tool: "read", input: {} }] },
      { calls: [read("hello.txt")], expect: { tool_result: "Missing parameters: file_path" } },
      { text: "Done.", expect: { tool_result: "1\thello" } },
    ]);
    assert.equal(events.at(-1)!["text"], "Done.");
  });

  test("3-42 the same failing call is run 3 times at most", async () => {
    const missing = read("missing-3-42.txt");
    const events = await command.events([{ calls: [missing, missing, missing, missing] }, "Done."]);
    const errors = events.filter(({ type }) => type === "call:settled").map((event) => event["error_type"]);
    assert.deepEqual(errors, ["not_found", "not_found", "not_found", "repeated_failure"]);
  });

  test("3-43 each tool says what helps: edit shows the nearest lines, glob the parameter that was meant", async (t) => {
    const runtime = await openLibrary(t, { files: { "hello.txt": "hello world\n" } });
    const edit = await runtime.call("edit", { file_path: "hello.txt", old_string: "helo world", new_string: "x" });
    assert.equal(edit.error, "old_string was not found in hello.txt.");
    assert.match((edit.result?.ok === false && edit.result.hint) || "", /hello world/);
    const glob = await runtime.call("glob", { patern: "*" });
    assert.match((glob.result?.ok === false && glob.result.hint) || "", /"patern" \(did you mean pattern\?\)/);
  });

  test("3-44 a model that is busy is asked again; one that refuses the key is not", async (t) => {
    const events = await command.events([
      { fail: { kind: "rate_limit", status: 429, retry_after_ms: 1, times: 2 }, text: "Here I am." },
    ]);
    assert.equal(events.filter(({ type }) => type === "model:retrying").length, 2);
    assert.equal(events.at(-1)!["text"], "Here I am.");
    const server = await serve(t, { turns: [{ fail: { status: 401, kind: "key", times: "always" } }] });
    const env = { ANTHROPIC_API_KEY: "wrong", ANTHROPIC_BASE_URL: server.url };
    const { code, stderr } = await command.run(["run", "go", "--model", "anthropic/claude-haiku-4-5"], { env });
    assert.equal(code, 1);
    assert.equal(server.requests.length, 1, stderr);
  });
});

function noticesIn(events: readonly Json[]): string[] {
  return events.filter(({ type }) => type === "notice:told").map(({ text }) => text);
}

async function serve(scope: Scope, script: Script): Promise<ScriptServer> {
  const server = await serveScript(script);
  afterTest(scope, () => server.close());
  return server;
}
