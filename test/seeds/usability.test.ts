import assert from "node:assert/strict";
import { open, readFile, rm } from "node:fs/promises";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { serveScript } from "deckhand/testing";
import { built } from "../cli/run-deckhand.ts";
import { openTalk } from "../cli/talk.ts";
import { afterTest } from "../support/after-test.ts";
import { tmuxLane } from "../support/tmux.ts";
import {
  openCommand,
  openConversation,
  openLibrary,
  parseLines,
  until,
  wholeFile,
  type Command,
} from "./seed-support.ts";

// What users of the source documents and new users stumbled over: U is the list of usability problems, H, M and L are the
// high, medium and low findings of a first look at the program.

let command: Command;

before(async () => {
  command = await openCommand(wholeFile, { files: { "a.txt": "hello" } });
});

const price = { input: 1_000_000, output: 1_000_000, cacheRead: 0, cacheWrite: 0 };

test("U-2 run --json has the warning about an untrusted folder on stderr and as an event", async (t) => {
  const own = await openCommand(t, { files: { "deckhand.json": '{"permissions":{"allow":["bash"]}}' } });
  await own.put("script.json", '["Done."]');
  const { stdout, stderr } = await own.run(["run", "go", "--model", "script:script.json", "--json"]);
  assert.match(stderr, /warning: .*deckhand\.json sets permissions\.allow/);
  const [notice] = parseLines(stdout).filter(({ type }) => type === "notice:told");
  assert.equal(notice!["level"], "warning");
  assert.match(notice!["text"], /deckhand\.json sets permissions\.allow.*deckhand trust/);
});

test("U-10 calls show last shows the newest call; tool takes -q", async () => {
  const { id } = await command.json(["tool", "read", '{"file_path":"a.txt"}']);
  assert.equal((await command.json(["calls", "show", "last"])).id, id);
  const { code, stdout } = await command.run(["tool", "-q", "read", '{"file_path":"a.txt"}']);
  assert.deepEqual([code, stdout], [0, "1\thello\n"]);
});

test("U-11 the output of a tool ends with a newline in a pipe, and is kept as it is in a file", async () => {
  const args = ["tool", "read", '{"file_path":"a.txt"}'];
  assert.equal((await command.run(args)).stdout, "1\thello\n");
  const path = join(command.workdir, "..", "output");
  const file = await open(path, "w");
  const child = spawn(process.execPath, [...built, ...args], {
    cwd: command.workdir,
    env: command.env,
    stdio: ["ignore", file.fd, "ignore"],
  });
  await new Promise((resolve) => child.on("close", resolve));
  await file.close();
  assert.equal(await readFile(path, "utf8"), "1\thello");
  await rm(path);
});

test("U-12 plain deckhand without a model and a terminal says what is missing, with 2", async () => {
  const { code, stdout, stderr } = await command.run([]);
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(stderr, /ANTHROPIC_API_KEY/);
});

describe("U-15 the library", () => {
  test("a wrong limit of rollouts.feedback is one true sentence", async (t) => {
    const runtime = await openLibrary(t);
    const rollouts = await runtime.rollouts();
    const wrong = { limit: 3 } as unknown as number;
    await assert.rejects(rollouts.feedback("echo", wrong), {
      message: 'feedback(tool, limit) takes a whole number from 1 on as its limit; got {"limit":3}.',
    });
  });

  test("an uncaught error does not print a page of code", async () => {
    const program = `import { createRuntime } from "deckhand"; await createRuntime({ workdir: "/nonexistent" });`;
    const root = join(import.meta.dirname, "..", "..");
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], { cwd: root });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    await new Promise((resolve) => child.on("close", resolve));
    assert.match(stderr, /nonexistent/);
    assert.ok(stderr.length < 3000, `${stderr.length} characters: ${stderr.slice(0, 400)}`);
  });
});

describe("U-16", () => {
  test("TOOL_TIMEOUT_SECONDS with a wrong value is warned about", async () => {
    const { code, stderr } = await command.run(["tool", "read", '{"file_path":"a.txt"}'], {
      env: { TOOL_TIMEOUT_SECONDS: "junk" },
    });
    assert.equal(code, 0);
    assert.match(stderr, /TOOL_TIMEOUT_SECONDS is "junk", which is not a number of seconds/);
  });

  test("read, write and edit take path for file_path", async (t) => {
    const runtime = await openLibrary(t, { files: { "a.txt": "hello\n" } });
    assert.equal((await runtime.call("read", { path: "a.txt" })).result?.output, "1\thello");
    assert.equal((await runtime.call("write", { path: "b.txt", content: "x" })).state, "completed");
    const edit = await runtime.call("edit", { path: "a.txt", old_string: "hello", new_string: "bye" });
    assert.equal(edit.state, "completed", edit.error ?? "");
  });

  test("the header, /reload-tools and a new conversation say the same number of tools", tmuxLane(), async (t) => {
    const talk = await openTalk(t, { script: ["Hello!"] });
    const [, count] = /· (\d+) tools ·/.exec(await talk.seePrompt())!;
    await talk.say("hello");
    await talk.see("Hello!");
    await talk.seePrompt();
    await talk.say("/reload-tools");
    await talk.see(`There are ${count} tools;`);
    await talk.say("/reset");
    await until(
      "the new header is there",
      async () => (await talk.scrollback()).split(`· ${count} tools ·`).length === 3,
    );
  });
});

describe("costs", () => {
  test("L4 a stopped reply costs what was sent and what came", async (t) => {
    const runtime = await openLibrary(t);
    const conversation = await openConversation(t, runtime, {
      model: { price },
      turns: [{ parts: [{ text: "It begins." }, { pauseMs: 600_000 }, { text: "Never." }] }],
    });
    const stop = new AbortController();
    conversation.agent.on(({ type }) => type === "reply:text" && stop.abort());
    const end = await conversation.agent.send("Tell me all.", { signal: stop.signal });
    assert.equal(end.state, "cancelled");
    const { usage, cost } = end.statistics;
    assert.ok(usage.inputTokens > 100 && usage.outputTokens > 0, JSON.stringify(usage));
    assert.equal(cost, usage.inputTokens + usage.outputTokens);
  });

  test("M8 what a conversation cost continues when it is resumed", async (t) => {
    const runtime = await openLibrary(t);
    const usage = { inputTokens: 100, outputTokens: 20 };
    const script = {
      model: { price },
      turns: [
        { text: "One.", usage },
        { text: "Two.", usage },
      ],
    };
    const first = await openConversation(t, runtime, script);
    await first.send("hello");
    assert.equal(first.agent.spent.cost, 120);
    await first.agent.close();
    const second = await openConversation(t, runtime, { ...script, request: { session: first.agent.sessionId } });
    assert.equal(second.agent.spent.cost, 120);
    await second.send("again");
    assert.deepEqual([second.agent.spent.cost, second.agent.spent.usage.inputTokens], [240, 200]);
  });
});

test("M12 a refused call of run says why in full, and how to allow it", async (t) => {
  const own = await openCommand(t);
  const calls = [{ tool: "write", input: { file_path: "n.txt", content: "x" } }];
  await own.put("script.json", JSON.stringify([{ calls }, "Refused."]));
  const { stderr } = await own.run(["run", "go", "--model", "script:script.json"]);
  assert.match(stderr, /Refused: /);
  assert.doesNotMatch(stderr, /Refused: .*…$/m);
  assert.match(
    stderr.replaceAll(/\s+/g, " "),
    /To allow refused calls without a terminal: add a rule to permissions\.allow/,
  );
  // Neither a rule nor the inbox lets through what the mode refuses.
  const plan = await own.run(["run", "go", "--model", "script:script.json", "--mode", "plan"]);
  assert.match(plan.stderr, /Refused: only reading is allowed in the mode "plan"/);
  assert.doesNotMatch(plan.stderr, /To allow refused calls/);
});

test("M18 an empty ANTHROPIC_BASE_URL counts as unset", async (t) => {
  const server = await serveScript({ turns: ["Hello!"] });
  afterTest(t, () => server.close());
  // The setting says where; the empty variable must not.
  const own = await openCommand(t, { settings: { model: { base_url: server.url } } });
  const env = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: "" };
  const { stdout, stderr } = await own.run(["run", "hello", "--model", "anthropic/claude-haiku-4-5"], { env });
  assert.equal(stdout, "Hello!\n", stderr);
});

test("M31 wrong input is the caller's mistake: it is counted apart in the statistics", async (t) => {
  const own = await openCommand(t);
  await own.run(["tool", "read", "not json"]);
  await own.run(["tool", "read", '{"file_path":5}']);
  const { tools } = await own.json(["log", "stats"]);
  const { calls, ok, errors, invalid } = tools[0];
  assert.deepEqual({ calls, ok, errors, invalid }, { calls: 2, ok: 0, errors: 0, invalid: 2 });
});

test("L6 --modle means --model, and record takes last", async (t) => {
  const { code, stderr } = await command.run(["run", "go", "--modle", "x"]);
  assert.equal(code, 2);
  assert.match(stderr, /Did you mean --model\?/);
  const own = await openCommand(t);
  await own.events(["Done."]);
  const recorded = await own.run(["record", "last"]);
  assert.deepEqual([recorded.code, recorded.stdout.includes("Done.")], [0, true], recorded.stderr);
});
