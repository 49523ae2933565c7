import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { z } from "zod";
import type { Question } from "../../../src/core/approval.ts";
import { defineTool } from "../../../src/core/define-tool.ts";
import { openRuntime, until } from "../../support/runtime.ts";
import { openApi, steady, type Api } from "./open-api.ts";

const asking = defineTool({
  name: "asking",
  description: "Ask the person.",
  traits: { readOnly: true },
  input: z.object({ question: z.any() }),
  run: async ({ question }, { ask }) => ({ ok: true, output: JSON.stringify(await ask(question as Question)) }),
});

async function openInbox(t: TestContext) {
  const settings = { permissions: { unattended: "inbox" } } as const;
  const runtime = await openRuntime(t, { settings, tools: [asking] });
  return { runtime, api: openApi(t, runtime) };
}

async function nextEntry(api: Api): Promise<string> {
  return until("an entry", async () => (await api.get("/api/inbox")).body.items[0]?.id as string | undefined);
}

test("an answer reaches the call that waits for it, and names who gave it [L7] [D6]", async (t) => {
  const { runtime, api } = await openInbox(t);
  const call = runtime.call("asking", { question: { text: "Which port?" } });
  const id = await nextEntry(api);
  const { body: list } = await api.get("/api/inbox?state=waiting");
  assert.deepEqual(steady(list), {
    items: [
      {
        id: "ask_ID",
        kind: "question",
        state: "waiting",
        execution_id: "call_ID",
        conversation_id: null,
        origin: { door: "library", tool_name: "asking", job_name: null },
        created_at: "TIME",
        question: { text: "Which port?" },
        approval: null,
        settled_at: null,
        settlement: null,
        owner: steady(list.items[0].owner),
      },
    ],
    next: null,
  });
  const { status, body } = await api.post(`/api/inbox/${id}/answer`, { answered: true, text: "8080" }, { who: "lee" });
  assert.deepEqual([status, steady(body.settlement), body.state], [200, settledBy("lee", "8080"), "answered"]);
  assert.equal((await call).result?.output, '{"answered":true,"text":"8080"}');
  assert.deepEqual((await api.get(`/api/inbox/${id}`)).body, body);
  assert.deepEqual((await api.get("/api/inbox")).body.items, []);
  assert.deepEqual((await api.get("/api/inbox?state=all")).body.items, [body]);
});

function settledBy(who: string, text: string): object {
  return { state: "answered", who, answer: { answered: true, text }, scope: null, reason: null };
}

const choices = { text: "Which?", options: ["red", "green", "blue"], multiple: true };

for (const [given, selected] of [
  [{ selected: ["red", "blue"] }, ["red", "blue"]],
  [{ options: [2] }, ["green"]],
  [{ answer: { answered: true, text: "red, blue", selected: ["red", "blue"] } }, ["red", "blue"]],
  [{ answer: "green" }, ["green"]],
] as const) {
  test(`${JSON.stringify(given)} chooses from the list [L7]`, async (t) => {
    const { runtime, api } = await openInbox(t);
    const call = runtime.call("asking", { question: choices });
    const id = await nextEntry(api);
    assert.equal((await api.post(`/api/inbox/${id}/answer`, given)).status, 200);
    assert.deepEqual(JSON.parse((await call).result?.output ?? ""), {
      answered: true,
      text: selected.join(", "),
      selected,
    });
  });
}

test("a text is meant as it is: a number in it is no choice from the list [L7]", async (t) => {
  const { runtime, api } = await openInbox(t);
  const call = runtime.call("asking", { question: { ...choices, other: true } });
  const id = await nextEntry(api);
  assert.equal((await api.post(`/api/inbox/${id}/answer`, { answered: true, text: "2" })).status, 200);
  assert.deepEqual(JSON.parse((await call).result?.output ?? ""), { answered: true, text: "2" });
});

test("a wrong answer is refused with its sentence, and the question goes on waiting [L7]", async (t) => {
  const { runtime, api } = await openInbox(t);
  const call = runtime.call("asking", { question: { ...choices, multiple: false } });
  const id = await nextEntry(api);
  for (const [given, sentence] of [
    [{}, "The answer is empty; choose 1 to 3."],
    [{ text: "pink" }, '"pink" is not one of the options; choose 1 to 3.'],
    [{ selected: ["pink"] }, '"pink" is not one of the options of this question.'],
    [{ options: [4] }, "There is no option 4; choose 1 to 3."],
    [{ options: [1, 2] }, "Only one option can be chosen."],
    [{ options: "1" }, 'options must be a list of numbers, got "1".'],
    [{ text: 7 }, "text must be a text, got 7."],
    [{ answered: false }, "An answer says something; to leave it open, do not answer."],
    [{ txt: "red" }, '"txt" means nothing here. Did you mean text?'],
  ] as const) {
    const { status, body } = await api.post(`/api/inbox/${id}/answer`, given);
    assert.deepEqual([status, body], [400, { error: { code: "BAD_REQUEST", message: sentence } }]);
  }
  const { status, body } = await api.post(`/api/inbox/${id}/approve`);
  const sentence = "This is a question: it is answered, not approved or denied.";
  assert.deepEqual([status, body.error.message], [400, sentence]);
  assert.equal((await api.get(`/api/inbox/${id}`)).body.state, "waiting");
  await runtime.cancel(call.id);
  await call;
});

test("the first to settle wins; the second is told who that was [L7] [G6]", async (t) => {
  const { runtime, api } = await openInbox(t);
  const call = runtime.call("bash", { command: "rm -rf backups" });
  const id = await nextEntry(api);
  const answers = await Promise.all([
    api.post(`/api/inbox/${id}/approve`, { scope: "once" }, { who: "kim" }),
    api.post(`/api/inbox/${id}/deny`, { reason: "not on Fridays" }, { who: "lee" }),
  ]);
  const [won, lost] = answers[0].status === 200 ? answers : answers.toReversed();
  const { state, settlement } = won!.body;
  assert.deepEqual(lost, {
    status: 409,
    body: { error: { code: "CONFLICT", message: `It is settled already: ${state} by ${settlement.who}.` } },
  });
  const { state: end } = await call;
  assert.equal(end, state === "approved" ? "completed" : "cancelled");
});

test("a denial keeps its reason, and what is not offered is refused [L7]", async (t) => {
  const { runtime, api } = await openInbox(t);
  const call = runtime.call("bash", { command: "rm -rf backups" });
  const id = await nextEntry(api);
  const always = await api.post(`/api/inbox/${id}/approve`, { scope: "always" });
  const notOffered = '"always" is not offered here; it can be allowed: once.';
  assert.deepEqual([always.status, always.body.error.message], [400, notOffered]);
  const ever = await api.post(`/api/inbox/${id}/approve`, { scope: "ever" });
  assert.equal(ever.body.error.message, 'scope must be one of once, conversation, always; got "ever".');
  const { body } = await api.post(`/api/inbox/${id}/deny`, { reason: "keep them" });
  assert.deepEqual([body.state, body.settlement.reason, body.settlement.who], ["denied", "keep them", "kim"]);
  assert.deepEqual([(await call).state, (await call).permission?.who], ["cancelled", "kim"]);
});

test("the inbox is read page after page, and the last page says so [L7] [D6]", async (t) => {
  const { runtime, api } = await openInbox(t);
  const calls = [1, 2, 3].map((number) => runtime.call("asking", { question: { text: `Which ${number}?` } }));
  const newestFirst = await until("all wait", async () => {
    const { items } = (await api.get("/api/inbox")).body;
    return items.length === 3 && items.map(({ id }: { id: string }) => id);
  });
  const seen: string[] = [];
  for (let before = ""; ;) {
    const { body } = await api.get(`/api/inbox?state=all&limit=2${before}`);
    seen.push(...body.items.map(({ id }: { id: string }) => id));
    if (body.next === null) break;
    assert.equal(body.next, seen.at(-1));
    before = `&before=${body.next}`;
  }
  assert.deepEqual(seen, newestFirst);
  const { status, body } = await api.get("/api/inbox?before=call_1");
  const sentence = 'before takes the id of an entry, as "next" of the page before gives it; got "call_1".';
  assert.deepEqual([status, body.error.message], [400, sentence]);
  for (const call of calls) await runtime.cancel(call.id);
  await Promise.all(calls);
});

test("what is not in the inbox is 404, and a wrong state is named", async (t) => {
  const { api } = await openInbox(t);
  const { status, body } = await api.post("/api/inbox/ask_nothing/deny");
  assert.deepEqual([status, body.error.message], [404, 'There is nothing with the id "ask_nothing" in the inbox.']);
  const wrong = await api.get("/api/inbox?state=waitng");
  assert.deepEqual([wrong.status, wrong.body.error.message], [400, '"waitng" is no state here. Did you mean waiting?']);
});
