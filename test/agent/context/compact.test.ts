import assert from "node:assert/strict";
import { test } from "node:test";
import { compactConversation, type CompactionOutcome, undoCompaction } from "../../../src/agent/context/compact.ts";
import { estimateTokens } from "../../../src/agent/context/estimate-tokens.ts";
import { assembleConversation } from "../../../src/agent/session/assemble-conversation.ts";
import { callsOf, textOfParts, type Message } from "../../../src/core/message.ts";
import type { Model } from "../../../src/core/model.ts";
import { answeringModel, Branch, failure } from "./branch.ts";

const goodSummary =
  "Goal: make the importer faster. Done: src/importer.ts reads in pieces, test/importer.test.ts passes. Decisions: rows stay in order. Open: measure it with the large file and write the numbers down.";

test("20 planted facts survive 3 compactions by a summariser that says nothing, and undo gives the same bytes [L6]", async () => {
  const branch = new Branch();
  const facts: string[] = [];
  const answers = ["ok", "", "lorem ipsum dolor sit amet ".repeat(8), "banana ".repeat(200), "x".repeat(90_000), "no"];
  const model = answeringModel((_request, count) => answers[(count - 1) % answers.length]!);
  for (let round = 0; round < 3; round++) {
    for (const fact of plantFacts(branch, round)) facts.push(fact);
    const before = JSON.stringify(assembleConversation(branch.entries));
    const outcome = await compact(branch, model, { keepTokens: 500 });
    assert.equal(outcome.state, "compacted");
    if (outcome.state !== "compacted") return;
    assert.equal(outcome.writtenBy, "digest");
    assert.ok(outcome.problems.length > 0);
    assert.ok(outcome.body.tokensAfter < outcome.body.tokensBefore);

    const undone = new Branch();
    undone.entries.push(...branch.entries);
    undone.append(outcome.body);
    undone.append(undoCompaction(undone.entries)!);
    assert.equal(JSON.stringify(assembleConversation(undone.entries)), before);

    branch.append(outcome.body);
    const [first] = assembleConversation(branch.entries).messages;
    const text = first?.role === "user" ? textOfParts(first.parts) : "";
    // The digest quotes the person too: only what is pinned counts here.
    const pinned = text.slice(text.indexOf("<pinned"));
    assert.deepEqual(
      facts.filter((fact) => !pinned.includes(fact)),
      [],
      `facts that are not pinned after compaction ${round + 1}`,
    );
  }
  assert.equal(facts.length, 20);
});

test("by wish all that is older than the last turn goes, however short the conversation is [L6]", async () => {
  const branch = new Branch();
  const model = answeringModel(() => goodSummary);
  branch.user("make the importer faster").says("reading in pieces");
  assert.equal((await compact(branch, model, { keepTokens: 2_000, isWished: true })).state, "kept");
  for (let turn = 1; turn < 10; turn++) {
    branch
      .user(`what about the rows, part ${turn}?`)
      .says(`rows of part ${turn} stay in order. ${"It is so. ".repeat(20)}`);
  }
  branch
    .user("and the last one?")
    .does([{ tool: "read", input: { file_path: "a.txt" }, result: "a" }])
    .says("it is done");
  assert.equal((await compact(branch, model, { keepTokens: 2_000 })).state, "kept");
  const outcome = await compact(branch, model, { keepTokens: 2_000, isWished: true });
  assert.equal(outcome.state, "compacted");
  if (outcome.state !== "compacted") return;
  const before = assembleConversation(branch.entries).messages;
  const after = assembleConversation(branch.append(outcome.body).entries).messages;
  assert.deepEqual(after.slice(-3), before.slice(-3));
  assert.equal(outcome.messages, before.length - 4);
});

test("a good summary is used: the old part becomes one message, the latest turns stay as they are [L6]", async () => {
  const branch = longBranch(12);
  const model = answeringModel(() => `<analysis>hm</analysis><summary>\n${goodSummary}\n</summary>`);
  const outcome = await compact(branch, model, { keepTokens: 2_000 });
  assert.equal(outcome.state, "compacted");
  if (outcome.state !== "compacted") return;
  assert.equal(outcome.writtenBy, "model");
  assert.equal(outcome.body.summary, goodSummary);
  assert.deepEqual(outcome.problems, []);
  assert.deepEqual(outcome.usage, { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 });
  const before = assembleConversation(branch.entries).messages;
  const after = assembleConversation(branch.append(outcome.body).entries).messages;
  assert.equal(after.length, before.length - outcome.messages);
  assert.deepEqual(after.slice(1), before.slice(outcome.messages + 1));
  assert.ok(after.length > 1, "latest turns stay");
  const [request] = model.requests;
  assert.deepEqual(request?.tools, []);
  assert.equal(request?.toolChoice, "none");
  assert.equal(request?.messages.length, 1);
  assertAnswered(after);
});

test("a summary that can't be used is asked for once more, with what was wrong [L6]", async () => {
  const model = answeringModel((_request, count) => (count === 1 ? "ok" : goodSummary));
  const outcome = await compact(longBranch(12), model, { keepTokens: 1_000 });
  assert.equal(outcome.state === "compacted" && outcome.writtenBy, "model");
  assert.equal(model.requests.length, 2);
  assert.match(contentOf(model, 1), /could not be used: it had only 2 characters for a conversation of \d+/);
});

test("a model that fails leaves a digest, not an error [L6]", async () => {
  const outcome = await compact(
    longBranch(12),
    answeringModel(() => failure("key")),
    { keepTokens: 1_000 },
  );
  assert.equal(outcome.state, "compacted");
  if (outcome.state !== "compacted") return;
  assert.equal(outcome.writtenBy, "digest");
  assert.deepEqual(outcome.problems, ["It failed: key."]);
  assert.match(outcome.body.summary, /- Asked: Change number \d+[\s\S]*read × 1 on src\/file-\d+\.ts/);
});

test("a transcript larger than the window is read in passes, each within it, the summary carried along [L6]", async () => {
  const model = answeringModel((_request, count) => `${goodSummary} Pass ${count}.`, 8_000);
  const outcome = await compact(longBranch(60), model, { keepTokens: 1_000, maxTokens: 8_000 });
  assert.equal(outcome.state === "compacted" && outcome.writtenBy, "model");
  assert.ok(model.requests.length > 1, `${model.requests.length} requests`);
  for (const [index] of model.requests.entries()) assert.ok(estimateTokens(contentOf(model, index)) < 8_000);
  assert.match(contentOf(model, 1), /<summary_so_far>[\s\S]*Pass 1\./);
});

test("a history of very many passes begins with a digest of its oldest part [L6]", async () => {
  const model = answeringModel(() => goodSummary, 3_000);
  const outcome = await compact(longBranch(300), model, { keepTokens: 500, maxTokens: 3_000 });
  assert.equal(outcome.state === "compacted" && outcome.writtenBy, "model");
  assert.equal(model.requests.length, 12);
  assert.match(contentOf(model, 0), /Digest of the earlier conversation/);
  assert.match(contentOf(model, 11), /Change number 29\d of the importer/);
});

test("when the provider finds a pass too long, it is tried with shorter ones [L6]", async () => {
  const model = answeringModel((request) => {
    const size = request.messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
    return size > 12_000 ? failure("window") : goodSummary;
  });
  const outcome = await compact(longBranch(40), model, { keepTokens: 1_000, maxTokens: 16_000 });
  assert.equal(outcome.state === "compacted" && outcome.writtenBy, "model");
});

test("a call is never parted from its result, wherever the cut falls [L6]", async () => {
  for (let keepTokens = 0; keepTokens <= 6_000; keepTokens += 250) {
    const branch = oneLongTurn(20);
    const outcome = await compact(
      branch,
      answeringModel(() => goodSummary),
      { keepTokens, maxTokens: 100_000 },
    );
    if (outcome.state !== "compacted") continue;
    const { messages } = assembleConversation(branch.append(outcome.body).entries);
    assertAnswered(messages);
    if (keepTokens >= 1_000) assert.ok(messages.length > 1, `${keepTokens}: something of the giant turn stays`);
  }
});

test("an unanswered message of the person stays word for word [L6]", async () => {
  const branch = longBranch(10).user("and what about the last column?");
  const outcome = await compact(
    branch,
    answeringModel(() => goodSummary),
    { keepTokens: 10 },
  );
  assert.equal(outcome.state, "compacted");
  if (outcome.state !== "compacted") return;
  assert.equal(outcome.body.firstKeptId, branch.entries.at(-1)?.id);
});

test("a short conversation is left alone with a reason, and a cancel changes nothing [L6]", async () => {
  const short = await compact(
    new Branch().user("Hello").says("Hi."),
    answeringModel(() => goodSummary),
    { keepTokens: 1_000 },
  );
  assert.equal(short.state === "kept" && short.reason.startsWith("There is nothing to compact"), true);
  const controller = new AbortController();
  const model = answeringModel(() => {
    controller.abort();
    return { type: "failed", failure: { kind: "aborted", message: "Stopped.", status: null, retryAfterMs: null } };
  });
  const cancelled = await compact(longBranch(12), model, { keepTokens: 500, signal: controller.signal });
  assert.equal(cancelled.state, "cancelled");
});

test("undo takes back one compaction at a time, and says when there is none [L6]", async () => {
  const branch = longBranch(12);
  assert.equal(undoCompaction(branch.entries), null);
  const model = answeringModel(() => goodSummary);
  for (let round = 0; round < 2; round++) {
    const outcome = await compact(branch, model, { keepTokens: 600 });
    assert.equal(outcome.state, "compacted");
    if (outcome.state !== "compacted") return;
    branch.append(outcome.body);
    for (const entry of longBranch(6).entries) branch.append(entry);
  }
  const [first, second] = branch.entries.filter(({ type }) => type === "compaction");
  for (const expected of [second, first]) {
    const undo = undoCompaction(branch.entries);
    assert.deepEqual(undo, { type: "compaction_undone", compactionId: expected?.id });
    if (undo) branch.append(undo);
  }
  assert.equal(undoCompaction(branch.entries), null);
});

function compact(
  branch: Branch,
  model: Model,
  { maxTokens = 40_000, signal = new AbortController().signal, ...wanted }: Wanted,
): Promise<CompactionOutcome> {
  const request = { system: "You help.", tools: [], conversationId: "ses_1" };
  return compactConversation({ entries: branch.entries, model, request, maxTokens, signal, ...wanted });
}

interface Wanted {
  readonly keepTokens: number;
  readonly maxTokens?: number;
  readonly isWished?: boolean;
  readonly signal?: AbortSignal;
}

type Facts = [string, string, string, string, string, string, string?];

/** Seven, seven and six facts: words, demands and files among a lot of work. */
function plantFacts(branch: Branch, round: number): string[] {
  const facts = [
    `The customer number is 4711-${round}`,
    `Never call the endpoint /v${round}/purge`,
    `src/planted/file-${round}.ts`,
    `반드시 port-${round} 만 사용해`,
    `my favourite colour is blue-${round}`,
    `The build must finish within ${round + 3} minutes`,
    ...(round < 2 ? [`scripts/planted-${round}.sh`] : []),
  ];
  const [number, endpoint, file, korean, colour, build, script] = facts as Facts;
  branch.user(`Import the orders. ${number}. ${endpoint}.`);
  work(branch, `a${round}`);
  branch.does([{ tool: "edit", input: { file_path: file }, result: "changed" }]);
  branch.user(`${korean}. By the way, ${colour}.`);
  work(branch, `b${round}`);
  if (script !== undefined) branch.does([{ tool: "bash", input: { command: `bash ${script} --all` }, result: "done" }]);
  branch.user(`${build}.`).says("I will see to it.");
  work(branch, `c${round}`);
  branch.user("go on").says("Going on.");
  work(branch, `d${round}`);
  return facts;
}

function work(branch: Branch, name: string): void {
  for (let step = 0; step < 4; step++) {
    branch.does([
      { tool: "grep", input: { pattern: `${name}-${step}` }, result: `line of output ${name} `.repeat(60) },
    ]);
  }
  branch.says(`Finished the step ${name}.`);
}

function longBranch(turns: number): Branch {
  const branch = new Branch();
  for (let turn = 1; turn <= turns; turn++) {
    branch.user(`Change number ${turn} of the importer`);
    const result = `const importer = createImporter({ rows: ${turn} });\n`.repeat(20);
    branch.does([{ tool: "read", input: { file_path: `src/file-${turn}.ts` }, result }], "I look at it.");
    branch.says(`The importer has change ${turn} now; the test passes.`);
  }
  return branch;
}

function oneLongTurn(calls: number): Branch {
  const branch = new Branch().user("Read all files of the importer and tell me about the test.");
  for (let call = 0; call < calls; call++) {
    const pair = ["a", "b"].map((half) => ({
      tool: "read",
      input: { file_path: `src/${half}-${call}.ts` },
      result: "some importer content of the file ".repeat(20),
    }));
    branch.does(pair);
  }
  return branch;
}

function contentOf(
  { requests }: { readonly requests: readonly { messages: readonly Message[] }[] },
  at: number,
): string {
  const message = requests[at]?.messages[0];
  return message?.role === "user" ? textOfParts(message.parts) : "";
}

/** Independent of the check in the product: every call has its result right behind it, and no result is alone. */
function assertAnswered(messages: readonly Message[]): void {
  assert.equal(messages[0]?.role, "user");
  const asked = messages.flatMap((message) => (message.role === "assistant" ? [callsOf(message.parts).length] : []));
  const answered = messages.filter(({ role }) => role === "tool");
  assert.equal(asked.filter((count) => count > 0).length, answered.length);
  for (const [at, message] of messages.entries()) {
    if (message.role !== "tool") continue;
    const before = messages[at - 1];
    assert.equal(before?.role, "assistant");
    if (before?.role !== "assistant") return;
    const ids = callsOf(before.parts).map(({ callId }) => callId);
    assert.deepEqual(
      message.results.map(({ callId }) => callId),
      ids,
    );
    for (const { text } of message.results) assert.doesNotMatch(text, /no result/);
  }
}
