import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { Runtime } from "deckhand";
import { openTalk } from "../cli/talk.ts";
import { tmuxLane } from "../support/tmux.ts";
import { echoTool, openCommand, openLibrary, throwTool, wholeFile, type Command } from "./seed-support.ts";

// Source document 002: calls that fail again and again, statistics, hooks, and what the logs have.

let runtime: Runtime;
let command: Command;

before(async () => {
  const files = { "a.txt": "hello\n" };
  runtime = await openLibrary(wholeFile, { tools: [echoTool, throwTool], files });
  command = await openCommand(wholeFile, { files: { ...files, "long.txt": `${"x".repeat(1900)}\n`.repeat(20) } });
});

const missing = { tool: "read", input: { file_path: "missing.txt" } };

describe("a call that keeps failing", () => {
  test("2-13 is not run a fourth time, and the error says how often it failed", async () => {
    const options = { conversationId: "2-13" };
    for (let each = 0; each < 3; each++) await runtime.call("read", missing.input, options);
    const { state, runPhase, error, result } = await runtime.call("read", missing.input, options);
    assert.deepEqual([state, runPhase], ["failed", "not_started"]);
    assert.equal(
      error,
      "Not run again: this same call failed 3/3 times in a row. Last error: missing.txt does not exist.",
    );
    assert.match((result?.ok === false && result.hint) || "", /^Change the input/);
  });

  test("2-14 is announced as blocked", async () => {
    const events = await command.events([{ calls: [missing, missing, missing, missing] }, "Done."]);
    const types = events.filter(({ type }) => type === "call:settled").map((event) => event["error_type"]);
    assert.deepEqual(types, ["not_found", "not_found", "not_found", "repeated_failure"]);
  });

  test("2-15 is the same call by tool and input, whatever name it is called by", async () => {
    const options = { conversationId: "2-15" };
    for (const name of ["read", "Read_File", "READ"]) await runtime.call(name, missing.input, options);
    assert.equal((await runtime.call("readFile", missing.input, options)).errorType, "repeated_failure");
    assert.equal((await runtime.call("read", { file_path: "other.txt" }, options)).errorType, "not_found");
  });

  test("2-16 may fail as often as limits.max_retry says", async (t) => {
    const own = await openLibrary(t, { variables: { DECKHAND_LIMITS_MAX_RETRY: "1" } });
    await own.call("read", missing.input);
    assert.match((await own.call("read", missing.input)).error!, /failed 1\/1 times in a row/);
  });

  test("2-17 (differs) may run again after a success that changed something, not after just any", async () => {
    const options = { conversationId: "2-17" };
    for (let each = 0; each < 3; each++) await runtime.call("read", missing.input, options);
    await runtime.call("read", { file_path: "a.txt" }, options);
    assert.equal((await runtime.call("read", missing.input, options)).errorType, "repeated_failure");
    await runtime.call("write", { file_path: "missing.txt", content: "here\n" }, options);
    assert.equal((await runtime.call("read", missing.input, options)).state, "completed");
  });

  test("2-20 says FAILED after retries to the model", async () => {
    const own = "2-20";
    const results = [];
    for (let each = 0; each < 5; each++) {
      results.push(await runtime.call("read", { file_path: `${own}-${each}.txt` }, { conversationId: own }));
    }
    assert.deepEqual(
      results.map(({ note }) => note?.startsWith("[FAILED after retries] ") ?? false),
      [false, false, false, true, true],
    );
  });
});

describe("statistics", () => {
  const script = [
    { calls: [missing, missing, missing, missing, { tool: "read", input: { file_path: "a.txt" } }] },
    "Done.",
  ];

  test("2-21 count blocked repeats and recoveries", async () => {
    const end = (await command.events(script)).at(-1)!;
    assert.deepEqual([end["statistics"].blocked_repeats, end["statistics"].recoveries], [1, 1]);
  });

  test("2-22 count what came in a row: read-only and non-mutating successes, errors", async () => {
    const { statistics } = (await command.events(script)).at(-1)!;
    const { consecutive_read_only_successes, consecutive_non_mutating_successes, consecutive_errors } = statistics;
    assert.deepEqual(
      { consecutive_read_only_successes, consecutive_non_mutating_successes, consecutive_errors },
      { consecutive_read_only_successes: 1, consecutive_non_mutating_successes: 1, consecutive_errors: 0 },
    );
  });

  test("2-23 count successes, failures, tokens and the tools used", async () => {
    const { statistics } = (await command.events(script)).at(-1)!;
    const { calls, successes, failures, tools_used, usage } = statistics;
    assert.deepEqual(
      { calls, successes, failures, tools_used },
      { calls: 5, successes: 1, failures: 4, tools_used: ["read"] },
    );
    assert.ok(usage.input_tokens > 0);
  });

  test("2-24 are shown by deckhand log stats", async (t) => {
    const own = await openCommand(t, { files: { "a.txt": "hello\n" } });
    await own.events(script);
    const { stdout } = await own.run(["log", "stats"]);
    assert.match(stdout, /Blocked repeats: 1 · recoveries: 1 · consecutive errors: 0 \(longest: 4\)/);
  });

  test("2-24 are shown in the terminal agent by /stats", tmuxLane(), async (t) => {
    const talk = await openTalk(t, { script, files: { "a.txt": "hello\n" } });
    await talk.seePrompt();
    await talk.say("Look.");
    await talk.see("Done.");
    await talk.seePrompt();
    await talk.say("/stats");
    const shown = await talk.see("blocked repeat");
    assert.match(
      shown,
      /5 calls since it was opened: 1 completed, 4 failed, 0 cancelled; 1 blocked repeat, 1 recovery\./,
    );
    assert.match(shown, /In a row: 0 errors, 1 read-only success,/);
  });
});

test("2-25 hooks of calls that overlap do not mix up their results", async (t) => {
  // Adds what it got to the result: the whole call, so that another one's would show.
  const program = "process.stdin.toArray().then((c)=>console.log(JSON.stringify({context:'saw '+Buffer.concat(c)})))";
  const names = Array.from({ length: 6 }, (_, at) => `f${at}.txt`);
  const own = await openLibrary(t, {
    files: Object.fromEntries(names.map((name) => [name, `content of ${name}\n`])),
    settings: { hooks: { after: [{ tools: ["read"], command: [process.execPath, "-e", program] }] } },
  });
  const results = await own.batch(names.map((name) => ({ tool: "read", input: { file_path: name } })));
  for (const [at, { note, result }] of results.entries()) {
    assert.equal(result?.output, `1\tcontent of f${at}.txt`);
    const mentioned = names.filter((name) => note?.includes(name));
    assert.deepEqual(mentioned, [`f${at}.txt`], note ?? "no note");
  }
});

describe("the log", () => {
  const reading = [{ calls: [{ tool: "read", input: { file_path: "long.txt" } }] }, "Done."];
  const linesOf = async (own: Command, type: string) => (await own.log()).filter((line) => line["type"] === type);

  test("2-26 has audit lines unless they are switched off", async (t) => {
    const own = await openCommand(t, { files: { "a.txt": "hello\n" } });
    const read = ["tool", "read", '{"file_path":"a.txt"}'];
    await own.run(read, { env: { DECKHAND_LOG_AUDIT: "false" } });
    assert.equal((await linesOf(own, "audit")).length, 0);
    await own.run(read);
    assert.equal((await linesOf(own, "audit")).length, 1);
  });

  test("2-27 audits conversation, entry point, tool, input, 500 characters of output, files and success", async (t) => {
    const own = await openCommand(t, { files: { "long.txt": "x".repeat(1900) } });
    const end = (await own.events(reading)).at(-1)!;
    const [line] = await linesOf(own, "audit");
    const { conversation_id, door, tool, input, files, success } = line!;
    assert.deepEqual(
      { conversation_id, door, tool, input, files, success },
      {
        conversation_id: end["session_id"],
        door: "agent",
        tool: "read",
        input: { file_path: "long.txt" },
        files: [],
        success: true,
      },
    );
    assert.match(line!["output"] as string, /^1\tx{498}… \[1402 characters cut\]$/);
  });

  test("2-28 has 2,000 characters of output in its workflow lines", async (t) => {
    const own = await openCommand(t, { files: { "long.txt": `${"x".repeat(1900)}\n`.repeat(3) } });
    await own.events(reading);
    const [line] = await linesOf(own, "workflow");
    const [, kept] = /^([\s\S]*)… \[\d+ characters cut\]$/.exec(line!["output"] as string)!;
    assert.equal(kept!.length, 2000);
  });

  test("2-29 has 200 characters of output in the summary of a result", async (t) => {
    const own = await openCommand(t, { files: { "long.txt": "x".repeat(1900) } });
    await own.events(reading);
    const [line] = await linesOf(own, "tool_result");
    assert.equal((line!["summary"] as string).length, 200);
  });
});

test("2-30 (differs) the model gets 10,000 characters of a result, not 4,000", async () => {
  const events = await command.events([
    { calls: [{ tool: "bash", input: { command: "cat long.txt" } }] },
    { text: "Seen.", expect: { tool_result: "characters cut" } },
  ]);
  assert.equal(events.at(-1)!["state"], "answered", JSON.stringify(events.at(-1)));
});
