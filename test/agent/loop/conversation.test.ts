import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createScriptedModel } from "../../../packages/testing/src/create-scripted-model.ts";
import { serveScript } from "../../../packages/testing/src/serve-script.ts";
import { openTestModel } from "../../models/support/open-test-model.ts";
import { afterTest } from "../../support/after-test.ts";
import { openAgentOf, openTestAgent, resultsIn } from "../../support/agent.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { assertValidConversation } from "../../support/valid-conversation.ts";

const acceptEdits = { settings: { permissions: { mode: "accept-edits" } } } as const;
const edit = (old: string, now: string) => ({
  tool: "edit",
  input: { file_path: "a.txt", old_string: old, new_string: now },
});

test("undo takes back the files of the last turn, then of the turn before, and the model is told [L1]", async (t) => {
  const { agent, home, requests } = await openTestAgent(t, {
    files: { "a.txt": "one\n" },
    runtime: acceptEdits,
    turns: [
      { calls: [edit("one", "two"), { tool: "write", input: { file_path: "new.txt", content: "new\n" } }] },
      "First.",
      { calls: [edit("two", "three")] },
      { calls: [edit("three", "four")] },
      "Second.",
      "I see.",
    ],
  });
  const path = join(home, "a.txt");
  await agent.send("Change it.");
  await agent.send("Change it twice more.");
  assert.equal(readFileSync(path, "utf8"), "four\n");
  const last = await agent.undo();
  assert.deepEqual([last?.restored, last?.removed, readFileSync(path, "utf8")], [["a.txt"], [], "two\n"]);
  const before = await agent.undo();
  assert.deepEqual([before?.restored, before?.removed], [["a.txt"], ["new.txt"]]);
  assert.deepEqual([readFileSync(path, "utf8"), existsSync(join(home, "new.txt"))], ["one\n", false]);
  assert.equal(await agent.undo(), undefined);
  await agent.send("What now?");
  const said = requests.at(-1)!.messages.at(-1)!;
  assert.match(JSON.stringify(said), /took your last file changes back.*Removed again: new\.txt.*What now\?/);
});

test("undo leaves a file that the person changed since, unless that is wanted [L1]", async (t) => {
  const { agent, home } = await openTestAgent(t, {
    files: { "a.txt": "one\n" },
    runtime: acceptEdits,
    turns: [{ calls: [edit("one", "two")] }, "Done."],
  });
  await agent.send("Change it.");
  const path = join(home, "a.txt");
  writeFileSync(path, "mine\n");
  assert.deepEqual(
    (await agent.undo())?.skipped.map((each) => each.path),
    ["a.txt"],
  );
  assert.equal(readFileSync(path, "utf8"), "mine\n");
  assert.deepEqual((await agent.undo({ force: true }))?.restored, ["a.txt"]);
  assert.equal(readFileSync(path, "utf8"), "one\n");
});

test("a remark reaches the model with the next prompt, and is no prompt of its own [L1]", async (t) => {
  const { agent, requests, messages } = await openTestAgent(t, { turns: ["Hello.", "I see."] });
  await agent.send("Hello");
  agent.remark("The person ran `make` and it passed.");
  await agent.send("Go on.");
  assert.deepEqual(requests.at(-1)!.messages.at(-1), {
    role: "user",
    parts: [
      { type: "text", text: "[Note] The person ran `make` and it passed." },
      { type: "text", text: "Go on." },
    ],
  });
  assertValidConversation(messages());
});

test("another model in the middle gets the conversation without what only the first one understands [L1 L3]", async (t) => {
  const home = await temporaryFolder(t);
  const first = await serveScript({
    turns: [{ thinking: "A secret thought.", text: "Looking.", calls: [{ tool: "list_files", input: {} }] }, "Seen."],
  });
  const second = await serveScript({ turns: ["", "", "Mine."].map((text) => ({ text: text || "skipped" })) });
  afterTest(t, () => first.close());
  afterTest(t, () => second.close());
  const { agent } = await openTestAgent(t, { home, model: await openTestModel("anthropic", first.url) });
  await agent.send("Look.");
  const again = JSON.stringify(first.requests[1]!.body);
  assert.match(again, /A secret thought\./, "its own thinking goes back to it");
  assert.match(again, /"signature"/);
  agent.useModel(await openTestModel("google", second.url));
  assert.equal(agent.model.id, "google/gemini-2.5-flash");
  const end = await agent.send("And you?");
  assert.deepEqual([end.state, end.text], ["answered", "Mine."]);
  const body = JSON.stringify(second.requests[0]!.body);
  assert.doesNotMatch(body, /secret thought|signature/i);
  assert.match(body, /Looking\..*list_files.*Seen\./s);
  assert.ok(agent.history.some((entry) => entry.type === "model" && entry.model === "google/gemini-2.5-flash"));
  const entries = agent.history.flatMap((entry) => (entry.type === "assistant" ? [entry.model] : []));
  assert.deepEqual(entries, ["anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5", "google/gemini-2.5-flash"]);
});

test("a model that is chosen while another one speaks answers from the next request on [L1]", async (t) => {
  const turns = [{ text: "Looking.", calls: [{ tool: "list_files", input: {} }] }, "Seen."];
  const { agent } = await openTestAgent(t, { turns });
  const other = createScriptedModel({ turns }, { id: "other" });
  agent.on(({ type }) => {
    if (type === "reply:text" && agent.model.id === "script") agent.useModel(other);
  });
  assert.equal((await agent.send("Look.")).text, "Seen.");
  const models = agent.history.flatMap((entry) => (entry.type === "assistant" ? [entry.model] : []));
  assert.deepEqual(models, ["script", "other"]);
});

test("a skill in use refuses other tools, in every conversation of a runtime and after a resume [L12]", async (t) => {
  const home = await temporaryFolder(t);
  const skill = "---\nname: review\ndescription: Reviews.\nallowed-tools: read\n---\nRead with care.\n";
  const turns = [
    {
      calls: [
        { tool: "use_skill", input: { name: "review" } },
        { tool: "read", input: { file_path: "a.txt" } },
      ],
    },
    { calls: [{ tool: "list_files", input: {} }] },
    "Read only.",
    { calls: [{ tool: "list_files", input: {} }] },
    {
      calls: [
        { tool: "end_skill", input: {} },
        { tool: "list_files", input: {} },
      ],
    },
    "Free again.",
  ];
  const setup = { home, turns, files: { "a.txt": "alpha\n", "skills/review/SKILL.md": skill } };
  const first = await openTestAgent(t, setup);
  const second = await openAgentOf(t, first.runtime, setup);
  for (const { agent, messages } of [first, second]) {
    await agent.send("Review a.txt.");
    const results = resultsIn(messages());
    assert.deepEqual(
      results.map(({ isError }) => isError),
      [false, false, true],
    );
    assert.match(results[2]!.text, /The skill "review" is in use and allows only: read\./);
  }
  const { sessionId } = second.agent;
  await second.agent.close();
  await first.agent.close();
  await first.runtime.close();
  const again = await openTestAgent(t, { home, turns, session: sessionId });
  await again.agent.send("Go on.");
  assert.deepEqual(
    resultsIn(again.messages())
      .slice(3)
      .map(({ tool, isError }) => [tool, isError]),
    [
      ["list_files", true],
      ["end_skill", false],
      ["list_files", false],
    ],
  );
});

test("a skill that allows some commands allows those that only read as well, and no others [L12]", async (t) => {
  const skill = "---\nname: history\ndescription: Looks back.\nallowed-tools: Bash(echo:*)\n---\nLook back.\n";
  const { agent, messages } = await openTestAgent(t, {
    files: { "skills/history/SKILL.md": skill },
    turns: [
      { calls: [{ tool: "use_skill", input: { name: "history" } }] },
      {
        calls: [
          { tool: "bash", input: { command: "echo one" } },
          { tool: "bash", input: { command: "ls" } },
        ],
      },
      { text: "Done." },
    ],
  });
  await agent.send("look back");
  const results = resultsIn(messages()).slice(1);
  assert.deepEqual(
    results.map(({ isError }) => isError),
    [false, true],
  );
  assert.match(results[1]!.text, /The skill "history" is in use and allows only: bash\(echo \*\)/);
});

test("each turn tells what the choice of tools saves [C7]", async (t) => {
  const { agent, eventsOf } = await openTestAgent(t, {
    turns: [{ calls: [{ tool: "list_files", input: {} }] }, { text: "Done." }],
  });
  await agent.send("look");
  const told = eventsOf("tools:offered");
  assert.equal(told.length, 2);
  const { type: _type, at: _at, ...figures } = told[0]!;
  const { offered, total, tokens, allTokens, savedPercent } = figures;
  assert.deepEqual([offered, total, tokens === allTokens, savedPercent], [total, offered, true, 0]);
});

test("each conversation of a runtime reads its own history [L6]", async (t) => {
  const turns = [{ calls: [{ tool: "read_history", input: {} }] }, "Read."];
  const first = await openTestAgent(t, { turns });
  const second = await openAgentOf(t, first.runtime, { turns });
  for (const [index, { agent, messages }] of [first, second].entries()) {
    await agent.send(`The words of conversation ${index}.`);
    assert.match(resultsIn(messages())[0]!.text, new RegExp(`The words of conversation ${index}\\.`));
  }
});

test("system text and tools are the same bytes over 30 turns, whatever is added meanwhile [C7]", async (t) => {
  const server = await serveScript({
    turns: [{ calls: [{ tool: "read", input: { file_path: "a.txt" } }], times: 10 }, { text: "Read." }],
    atEnd: "loop",
  });
  afterTest(t, () => server.close());
  const { agent, runtime, requests, home } = await openTestAgent(t, {
    files: { "a.txt": "alpha\n", "AGENTS.md": "Be brief.\n" },
    model: await openTestModel("anthropic", server.url),
  });
  for (let prompt = 0; prompt < 3; prompt++) {
    assert.equal((await agent.send(`Read it, time ${prompt}.`)).state, "answered");
    writeFileSync(join(home, "AGENTS.md"), `Be brief, ${prompt} times.\n`);
    // One that was offered and changes is another story: then the conversation goes on from a memo (C8).
    runtime.tools.add({ ...runtime.tools.resolve("glob")!, name: `another_${prompt}` });
  }
  assert.equal(requests.length, 33);
  const bytes = new Set(server.requests.map(({ body }) => JSON.stringify([body["system"], body["tools"]])));
  assert.equal(bytes.size, 1);
  // What was sent before is the beginning of what is sent next, apart from where the cache is told to look.
  const texts = server.requests.map(({ body }) => JSON.stringify(body["messages"], withoutMarks));
  for (const [index, text] of texts.slice(1).entries()) assert.ok(text.startsWith(texts[index]!.slice(0, -1)));
});

function withoutMarks(key: string, value: unknown): unknown {
  return key === "cache_control" ? undefined : value;
}

test("chat offers no tools and runs none [L2]", async (t) => {
  const { agent, requests } = await openTestAgent(t, { mode: "chat", turns: ["Only words."] });
  const end = await agent.send("Write a file.");
  assert.deepEqual([end.text, requests[0]!.tools, requests[0]!.toolChoice], ["Only words.", [], "none"]);
});
