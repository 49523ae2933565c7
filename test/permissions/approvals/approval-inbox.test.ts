import assert from "node:assert/strict";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { ApprovalRequest, InboxEntry, InboxStore } from "../../../src/core/approval.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { createInbox, type Inbox, type InboxOptions } from "../../../src/permissions/approvals/approval-inbox.ts";
import { openDatabase } from "../../../src/records/sqlite/database.ts";
import { createMemoryInbox } from "../../../src/records/memory/memory-stores.ts";
import { createSqliteInbox } from "../../../src/records/sqlite/sqlite-approvals.ts";
import { until } from "../../support/runtime.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const owner = { pid: 4711, startTime: "1", bootId: "b" };

function open(t: TestContext, given: Partial<InboxOptions> = {}): Inbox {
  const inbox = createInbox({
    store: createMemoryInbox(),
    clock: systemClock,
    owner,
    isAlive: () => true,
    mask: (value) => value,
    ...given,
  });
  t.after(() => inbox.close());
  return inbox;
}

function request(given: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    executionId: "call_1",
    conversationId: null,
    toolId: "bash",
    title: "Run a command",
    detail: "make deploy",
    preview: null,
    reasons: [],
    isDanger: false,
    scopes: ["once", "always"],
    rules: ["bash(make deploy)"],
    ...given,
  };
}

async function onlyWaiting(inbox: Inbox): Promise<InboxEntry> {
  return until("an entry waits", async () => (await inbox.list({ states: ["waiting"] }))[0]);
}

const asker = () => ({ executionId: "call_1", signal: new AbortController().signal });

test("a question waits until somebody answers it, and gets that answer [L7]", async (t) => {
  const inbox = open(t);
  const answer = inbox.ask({ text: "Name?" }, asker());
  const { id, question } = await onlyWaiting(inbox);
  assert.deepEqual(question, { text: "Name?" });
  const settled = await inbox.answer(id, { text: " Deck " }, "kim");
  assert.equal(settled.ok && settled.entry.state, "answered");
  assert.deepEqual(await answer, { answered: true, text: "Deck" });
});

test("an answer in another process's store reaches the one who waits [L7]", async (t) => {
  const path = join(await temporaryFolder(t), "deckhand.db");
  const stores: InboxStore[] = [];
  for (let index = 0; index < 2; index += 1) {
    const database = await openDatabase({ path, clock: systemClock });
    t.after(() => database.close());
    stores.push(createSqliteInbox(database));
  }
  const [asking, answering] = stores.map((store) => open(t, { store }));
  const answer = asking!.approve(request(), new AbortController().signal);
  const { id } = await onlyWaiting(answering!);
  await answering!.decide(id, { allow: true, scope: "always" }, "kim");
  assert.deepEqual(await answer, { decision: "allow", scope: "always", who: "kim" });
});

test("a no is a no, with its reason [L7]", async (t) => {
  const inbox = open(t);
  const answer = inbox.approve(request(), new AbortController().signal);
  const { id } = await onlyWaiting(inbox);
  await inbox.decide(id, { allow: false, reason: "not on Friday" }, "kim");
  assert.deepEqual(await answer, { decision: "deny", who: "kim", reason: "not on Friday" });
});

test("a cancelled call withdraws its question, which nobody can answer then [L7]", async (t) => {
  const inbox = open(t);
  const controller = new AbortController();
  const answer = inbox.ask({ text: "Name?" }, { executionId: "call_1", signal: controller.signal });
  const { id } = await onlyWaiting(inbox);
  controller.abort();
  assert.deepEqual(await answer, { answered: false, reason: "cancelled" });
  await until("it is withdrawn", async () => (await inbox.get(id))?.state === "withdrawn");
  assert.deepEqual(await inbox.answer(id, { text: "x" }, "kim"), {
    ok: false,
    problem: "It is settled already: withdrawn.",
  });
});

test("what a process asked that has ended since is abandoned, not answered [L7]", async (t) => {
  const store = createMemoryInbox();
  const dead = open(t, { store });
  void dead.ask({ text: "Name?" }, asker());
  const { id } = await onlyWaiting(dead);
  const later = open(t, { store, isAlive: () => false });
  const answered = await later.answer(id, { text: "x" }, "kim");
  assert.match(answered.ok ? "" : answered.problem, /has ended/);
  assert.equal((await later.list())[0]?.state, "abandoned");
});

test("the second to answer is told who was first [L7]", async (t) => {
  const inbox = open(t);
  const answer = inbox.approve(request(), new AbortController().signal);
  const { id } = await onlyWaiting(inbox);
  await inbox.decide(id, { allow: false }, "kim");
  assert.deepEqual(await inbox.decide(id, { allow: true }, "lee"), {
    ok: false,
    problem: "It is settled already: denied by kim.",
  });
  assert.equal((await answer).decision, "deny");
});

test("who looks at one entry alone is told that nobody waits for it any more [L7]", async (t) => {
  const store = createMemoryInbox();
  const alive = open(t, { store });
  void alive.ask({ text: "Name?" }, asker());
  const { id } = await onlyWaiting(alive);
  const after = open(t, { store, isAlive: () => false });
  assert.equal((await after.get(id))?.state, "abandoned");
  assert.equal(await after.get("ask_none"), undefined);
});

test("danger can only be approved once, and a question can't be approved at all [G8 L7]", async (t) => {
  const inbox = open(t);
  const controller = new AbortController();
  void inbox.approve(request({ isDanger: true, scopes: ["once"], rules: [] }), controller.signal);
  const { id } = await onlyWaiting(inbox);
  const decided = await inbox.decide(id, { allow: true, scope: "always" }, "kim");
  assert.equal(decided.ok ? "" : decided.problem, '"always" is not offered here; it can be allowed: once.');
  const answered = await inbox.answer(id, { text: "yes" }, "kim");
  assert.equal(answered.ok ? "" : answered.problem, "This is an approval: it is approved or denied, not answered.");
  assert.equal((await inbox.get(id))?.state, "waiting");
  controller.abort();
});

test("what is kept is masked, and so is an answer [D4 L7]", async (t) => {
  const mask = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value).replaceAll("hunter22", "[MASKED]")) as Value;
  const inbox = open(t, { mask });
  void inbox.ask({ text: "Is hunter22 the password?" }, asker());
  const { id, question } = await onlyWaiting(inbox);
  assert.equal(question?.text, "Is [MASKED] the password?");
  await inbox.answer(id, { text: "no, hunter22!" }, "kim");
  assert.doesNotMatch(JSON.stringify(await inbox.list()), /hunter22/);
});
