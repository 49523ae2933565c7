import assert from "node:assert/strict";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import type { Answer, Question, Runtime } from "deckhand";
import { openTalk } from "../cli/talk.ts";
import { tmuxLane } from "../support/tmux.ts";
import {
  openCommand,
  openConversation,
  openLibrary,
  parseLines,
  wholeFile,
  type Command,
  type Json,
} from "./seed-support.ts";

// Source document 003: questions to the user, and commands that are dangerous.

let runtime: Runtime;
let command: Command;
let answer: Answer;
const asked: Question[] = [];

before(async () => {
  runtime = await openLibrary(wholeFile, {
    async ask(question) {
      asked.push(question);
      return answer;
    },
  });
  command = await openCommand(wholeFile);
});

const terminal = tmuxLane();

describe("ask_user", () => {
  test("3-21 a question without options is answered with text", async () => {
    answer = { answered: true, text: "+, -, *, /" };
    const { result } = await runtime.call("ask_user", { question: "Which operations?" });
    assert.equal(result?.output, "User answered: +, -, *, /");
    assert.deepEqual(asked.at(-1), { text: "Which operations?" });
  });

  test("3-22 a question with 2 to 10 options is a list to choose from", async () => {
    answer = { answered: true, text: "unittest", selected: ["unittest"] };
    const { result } = await runtime.call("ask_user", { question: "Which?", options: ["pytest", "unittest"] });
    assert.equal(result?.output, "User selected: unittest");
    assert.deepEqual(asked.at(-1)!.options, ["pytest", "unittest"]);
  });

  test("3-23 the terminal shows question, list and keys", terminal, async (t) => {
    const question = { question: "Which colour?", options: ["red", "green"] };
    const talk = await openTalk(t, { script: [{ calls: [{ tool: "ask_user", input: question }] }, "Fine."] });
    await talk.seePrompt();
    await talk.say("ask me");
    const shown = await talk.see(/^❯ +1\. red\n +2\. green/m);
    assert.match(shown, /Which colour\?/);
    assert.match(shown, /Enter/);
  });

  test("3-24 an empty answer is no answer", async () => {
    answer = { answered: false, reason: "empty" };
    const { state, error } = await runtime.call("ask_user", { question: "3-24?" });
    assert.deepEqual([state, error], ["failed", "The user's answer was empty."]);
  });

  test("3-25 a question that the user closes has no answer", async () => {
    answer = { answered: false, reason: "cancelled" };
    const { state, error } = await runtime.call("ask_user", { question: "3-25?" });
    assert.deepEqual([state, error], ["failed", "The user closed the question without an answer."]);
  });

  for (const { row, count } of [
    { row: "3-26", count: 1 },
    { row: "3-27", count: 11 },
  ]) {
    test(`${row} ${count} options are refused`, async () => {
      const options = Array.from({ length: count }, (_, at) => `option ${at}`);
      const { state, error } = await runtime.call("ask_user", { question: `${row}?`, options });
      assert.deepEqual([state, error], ["failed", `A list has 2 to 10 options; got ${count}.`]);
    });
  }

  test("3-28 (differs) nothing is chosen for the user, not even the first option", async () => {
    answer = { answered: false, reason: "empty" };
    const { result } = await runtime.call("ask_user", { question: "3-28?", options: ["first", "second"] });
    assert.deepEqual([result?.ok, JSON.stringify(result).includes("first")], [false, false]);
  });

  test("3-29 (differs) the tool is ask_user; AskUserQuestion is an alias of it", async () => {
    answer = { answered: true, text: "yes" };
    const { toolId, toolName, result } = await runtime.call("AskUserQuestion", { question: "3-29?" });
    assert.deepEqual([toolId, toolName, result?.output], ["ask_user", "AskUserQuestion", "User answered: yes"]);
    const { properties } = runtime.tools.resolve("ask_user")!.inputSchema as Json;
    assert.deepEqual(Object.keys(properties).slice(0, 2), ["question", "options"]);
  });

  test("3-30 without a user there is no answer, or it waits in the inbox", async (t) => {
    const events = await command.events([{ calls: [{ tool: "ask_user", input: { question: "Well?" } }] }, "Fine."]);
    const settled = events.find(({ type }) => type === "call:settled")!;
    assert.deepEqual([settled["state"], settled["error_type"]], ["failed", "nobody"]);
    const own = await openCommand(t);
    const waiting = own.start(["tool", "ask_user", '{"question":"Well?"}', "--inbox"]);
    let entries: { id: string }[] = [];
    while (entries.length === 0) entries = await own.json(["inbox", "list"]);
    await own.run(["inbox", "answer", entries[0]!.id, "All is well"]);
    assert.match((await waiting.ended).stdout, /^User answered: All is well/);
  });
});

test("3-5 questions and answers are in the log of their conversation", async (t) => {
  const own = await openLibrary(t, { ask: async () => ({ answered: true, text: "blue" }) });
  const ask = { tool: "ask_user", input: { question: "Which colour?" } };
  const conversation = await openConversation(t, own, { turns: [{ calls: [ask] }, "Blue it is."] });
  await conversation.send("Paint it.");
  await conversation.agent.close();
  await own.close();
  const lines = parseLines(await readFile(join(own.workdir, ".deckhand", "logs", "chat_log.jsonl"), "utf8"));
  const asked = lines.filter(({ type }) => type === "question" || type === "answer");
  assert.deepEqual(
    asked.map(({ type, conversation_id, tool_name }) => ({ type, conversation_id, tool_name })),
    ["question", "answer"].map((type) => ({
      type,
      conversation_id: conversation.agent.sessionId,
      tool_name: "ask_user",
    })),
  );
});

describe("danger", () => {
  for (const { row, what, dangerous, safe } of [
    {
      row: "3-31",
      what: "rm -rf",
      dangerous: ["rm -rf build", "rm  -fr build", "X=rm; $X -rf ~"],
      safe: ["ls build", "grep -rf patterns.txt src"],
    },
    {
      row: "3-32",
      what: "DROP TABLE",
      dangerous: [`psql -c "DROP TABLE users"`, `mysql -e "drop  table users"`],
      safe: [`grep -r "DROP TABLE" src`],
    },
    {
      row: "3-33",
      what: "DELETE FROM … WHERE 1=1",
      dangerous: [`psql -c "DELETE FROM users WHERE 1=1"`, `psql -c "delete from users where 1 = 1"`],
      safe: [`psql -c "DELETE FROM users WHERE id=3"`],
    },
  ]) {
    test(`${row} ${what} is dangerous`, async () => {
      for (const each of dangerous) assert.equal(await isDanger(each), true, each);
      for (const each of safe) assert.equal(await isDanger(each), false, each);
    });
  }

  async function isDanger(shell: string): Promise<boolean> {
    return (await command.json(["check", "command", shell])).verdict === "danger";
  }

  const remove = { calls: [{ tool: "bash", input: { command: "rm -rf node_modules" } }] };

  test("3-34 a dangerous command is asked about before it runs", terminal, async (t) => {
    const talk = await openTalk(t, { script: [remove, "Gone."] });
    await talk.seePrompt();
    await talk.say("clean up");
    const shown = await talk.see('Type "yes" to run it');
    assert.match(shown, /Dangerous: Run a command/);
  });

  test("3-35 a refusal stops it, and the model gets the reason", async (t) => {
    const own = await openLibrary(t, {
      async approve() {
        return { decision: "deny", who: "test", reason: "not now" };
      },
    });
    await mkdir(join(own.workdir, "node_modules"));
    const conversation = await openConversation(t, own, { turns: [remove, "I see."] });
    await conversation.send("clean up");
    await stat(join(own.workdir, "node_modules"));
    const told = JSON.stringify(conversation.requests.at(-1)!.messages);
    assert.match(told, /User denied permission\. *\\?n?[\s\S]*It was not run\.[\s\S]*The person said: not now/);
  });

  test("3-36 (differs) the permission check asks; the shell tool itself does not demand a question first", async (t) => {
    const questions: string[] = [];
    const own = await openLibrary(t, {
      async approve({ title, isDanger: danger }) {
        questions.push(`${title} ${danger}`);
        return { decision: "allow", scope: "once", who: "test" };
      },
    });
    await mkdir(join(own.workdir, "node_modules"));
    const conversation = await openConversation(t, own, { turns: [remove, "Gone."] });
    await conversation.send("clean up");
    assert.deepEqual(questions, ["Run a command true"]);
    await assert.rejects(stat(join(own.workdir, "node_modules")), { code: "ENOENT" });
  });
});

describe("the guidelines of the system prompt", () => {
  async function promptOf(own: Runtime, scope: Parameters<typeof openConversation>[0]): Promise<string> {
    const conversation = await openConversation(scope, own, { turns: ["Hi."] });
    await conversation.send("Build me something.");
    return conversation.requests[0]!.system;
  }

  test("3-37 unsure or several ways: ask, and offer choices", async (t) => {
    assert.match(await promptOf(runtime, t), /[Uu]nsure[\s\S]*ask_user[\s\S]*choices/);
  });

  test("3-38 before what can't be brought back: say so and have it confirmed; carefully where nobody is there", async (t) => {
    assert.match(await promptOf(runtime, t), /Before you delete, overwrite or send/);
    assert.match(await promptOf(await openLibrary(t), t), /careful/);
  });

  test("3-39 the answer of the user is what counts", async (t) => {
    answer = { answered: true, text: "tabs" };
    const ask = { tool: "ask_user", input: { question: "Tabs or spaces?" } };
    const turns = [{ calls: [ask] }, { text: "Tabs it is.", expect: { toolResult: "User answered: tabs" } }];
    const conversation = await openConversation(t, runtime, { turns });
    assert.equal((await conversation.send("Format it.")).text, "Tabs it is.");
  });
});

describe("scenarios", () => {
  test("3-45 a free question in the terminal", terminal, async (t) => {
    const question = { question: "Which operations?" };
    const talk = await openTalk(t, {
      script: [
        { calls: [{ tool: "ask_user", input: question }] },
        { text: "So: {{last_result}}", expect: { tool_result: "User answered: +, -, *, /" } },
      ],
    });
    await talk.seePrompt();
    await talk.say("Write a calculator");
    await talk.see(/Which operations\?[\s\S]*Enter sends/);
    await talk.type("+, -, *, /");
    await talk.see("› +, -, *, /");
    await talk.press("Enter");
    await talk.see("So: User answered: +, -, *, /");
  });

  test("3-46 a choice by its number", terminal, async (t) => {
    const question = { question: "Which framework?", options: ["pytest", "unittest"] };
    const talk = await openTalk(t, {
      script: [
        { calls: [{ tool: "ask_user", input: question }] },
        { text: "So: {{last_result}}", expect: { tool_result: "User selected: unittest" } },
      ],
    });
    await talk.seePrompt();
    await talk.say("Write tests");
    await talk.see(/^❯ +1\. pytest\n +2\. unittest/m);
    await talk.press("2");
    await talk.see("So: User selected: unittest");
  });

  test("3-47 node_modules: refused first, then confirmed and gone", terminal, async (t) => {
    const remove = { calls: [{ tool: "bash", input: { command: "rm -rf node_modules" } }] };
    const talk = await openTalk(t, {
      script: [remove, { ...remove, expect: { tool_result: { is_error: true } } }, "Gone."],
    });
    await mkdir(join(talk.machine.workdir, "node_modules"));
    await writeFile(join(talk.machine.workdir, "node_modules", "x.js"), "");
    await talk.seePrompt();
    await talk.say("clean up");
    await talk.see('Type "yes" to run it');
    await talk.type("no");
    await talk.press("Enter");
    await talk.see(/refused[\s\S]*Type "yes" to run it/);
    assert.equal(await talk.read("node_modules/x.js"), "");
    await talk.type("yes");
    await talk.press("Enter");
    await talk.see("Gone.");
    await assert.rejects(stat(join(talk.machine.workdir, "node_modules")), { code: "ENOENT" });
  });
});
