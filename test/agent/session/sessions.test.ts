import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openSessions } from "../../../src/agent/session/sessions.ts";
import type { SessionEntryBody } from "../../../src/core/session.ts";
import { createMasker } from "../../../src/guard/secrets/create-masker.ts";
import { about, makeCall, reply, results, setUpSessions, user } from "./support.ts";

test("an entry is one line of snake_case JSON, in a private file that begins with the session [L2]", async (t) => {
  const { sessions, folder } = await setUpSessions(t);
  const session = await sessions.create(about);
  const said = session.append(user("hello\nthere"));
  const [header, first, ...rest] = readFileSync(session.path, "utf8").split("\n");
  assert.deepEqual(JSON.parse(header!), {
    v: 1,
    type: "session",
    id: said.parentId,
    parent_id: null,
    at: "2026-01-01T00:00:00.000Z",
    session_id: session.id,
    workdir: "/work",
    model: "script/test",
    version: "0.0.0",
  });
  assert.equal(
    first,
    `{"v":1,"type":"user","id":"${said.id}","parent_id":"${said.parentId}","at":"2026-01-01T00:00:00.000Z","parts":[{"type":"text","text":"hello\\nthere"}]}`,
  );
  assert.deepEqual(rest, [""]);
  assert.equal(session.path, join(folder, `${session.id}.jsonl`));
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.equal(statSync(session.path).mode & 0o777, 0o600);
});

test("every kind of entry comes back as it was written [L11]", async (t) => {
  const { sessions } = await setUpSessions(t);
  const session = await sessions.create(about);
  for (const body of everyKind) session.append(body);
  await session.close();
  const again = await sessions.open(session.id);
  assert.deepEqual(again.branch, session.branch);
  assert.deepEqual(again.problems, []);
  const next = again.append(user("more"));
  await again.close();
  const { branch, entries, problems } = await sessions.read(session.id);
  assert.deepEqual({ branch, entries, problems }, { branch: again.branch, entries: again.branch, problems: [] });
  assert.equal(branch.at(-1)!.id, next.id);
});

const everyKind: SessionEntryBody[] = [
  { type: "tools", names: ["read", "bash"] },
  {
    type: "user",
    parts: [
      { type: "text", text: "look 🙂 \u2028 \ud800" },
      { type: "image", mediaType: "image/png", data: "aGVsbG8=" },
    ],
  },
  {
    type: "assistant",
    parts: [
      {
        type: "thinking",
        text: "hm",
        opaque: { provider: "anthropic", data: { signatureText: "x", created_at: 5, at: "no time", _x: [{ aB: 1 }] } },
      },
      { type: "text", text: "so", opaque: { provider: "google", data: null } },
      {
        type: "call",
        callId: "a",
        tool: "read",
        inputText: '{"camelCase": 1, "at": ',
        opaque: { provider: "x", data: 1 },
      },
    ],
    model: "a/b",
    stop: "calls",
    usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 },
    cost: 0.25,
  },
  { type: "call", callId: "a", executionId: "call_1", tool: "read" },
  { type: "results", results: [{ callId: "a", tool: "read", text: "t", isError: true }] },
  { type: "remark", text: "note" },
  {
    type: "compaction",
    summary: "s",
    pins: [{ kind: "words", text: "exactly" }],
    firstKeptId: null,
    tokensBefore: 2,
    tokensAfter: 1,
  },
  { type: "compaction_undone", compactionId: "c" },
  { type: "model", model: "c/d" },
  { type: "evidence", answerId: "e", report: { claims: [{ foundAt: 5, isMatched: true }], snake_case: null } },
  { type: "undone", turnId: "t", files: ["a.txt"] },
];

test("a session in which nothing was said leaves no file", async (t) => {
  const { sessions, folder, options } = await setUpSessions(t);
  const session = await sessions.create(about);
  session.append({ type: "tools", names: ["read"] });
  session.append({ type: "model", model: "other" });
  await session.close();
  assert.equal(existsSync(folder), false);
  assert.deepEqual(await options.leases.list(), []);
  assert.throws(() => session.append(user("late")), { code: "RUNTIME_CLOSED" });
});

test("secrets are masked on disk, and a thought that is masked loses its signature [L11]", async (t) => {
  const secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
  const masker = createMasker({ values: [secret], key: "key" });
  const { sessions } = await setUpSessions(t, { mask: (value) => masker.value(value) });
  const session = await sessions.create(about);
  session.append(user(`my key is ${secret}`));
  const signed = (text: string, data: unknown) => ({
    type: "thinking" as const,
    text,
    opaque: { provider: "p", data },
  });
  session.append({
    ...reply("", "bash:1"),
    parts: [
      signed(`the key ${secret}`, "signature-1"),
      signed("nothing", "signature-2"),
      signed("", { carries: secret }),
      { type: "text", text: "fine" },
      { ...makeCall("bash:1"), inputText: JSON.stringify({ command: `curl -H ${secret}` }) },
    ],
  } as SessionEntryBody);
  session.append({ type: "results", results: [{ callId: "1", tool: "bash", text: secret, isError: false }] });
  assert.ok(JSON.stringify(session.branch).includes(secret), "who is at work has the raw text");
  await session.close();
  assert.ok(!readFileSync(session.path, "utf8").includes(secret));
  const { branch } = await sessions.read("latest");
  const kept = branch[2];
  assert.ok(kept?.type === "assistant");
  const [masked, whole, carrier, , call] = kept.parts;
  assert.match(JSON.stringify(masked), /^\{"type":"thinking","text":"the key \[MASKED:[^"]*\]"\}$/);
  assert.deepEqual(whole, signed("nothing", "signature-2"));
  assert.deepEqual(carrier, { type: "thinking", text: "" });
  assert.ok(call?.type === "call");
  assert.match((JSON.parse(call.inputText) as { command: string }).command, /^curl -H \[MASKED:.*\]$/);
});

test("a session is found by a part of its beginning or end that only one has, or as the latest [L2]", async (t) => {
  const { sessions, clock } = await setUpSessions(t);
  const made: string[] = [];
  for (let index = 0; index < 3; index++) {
    clock.advance(60_000_000);
    const session = await sessions.create(about);
    session.append(user(`task ${index}`));
    await session.close();
    utimesSync(session.path, 1000 + index, 1000 + index);
    made.push(session.id);
  }
  const [first, second, third] = made as [string, string, string];
  const found = async (wanted: string): Promise<string> => (await sessions.read(wanted)).id;
  assert.equal(await found("latest"), third);
  assert.equal(await found(second), second);
  assert.equal(await found(first.slice(0, 14)), first);
  assert.equal(await found(second.slice(4, 14)), second);
  assert.equal(await found(`${first.slice(-8).toUpperCase()} `), first);
  await assert.rejects(sessions.open("ses_"), {
    code: "SESSION_UNKNOWN",
    message: `"ses_" can mean 3 sessions: name more of the one you mean. They are: ${third}, ${second}, ${first}.`,
  });
  await assert.rejects(sessions.open("nonsense"), {
    code: "SESSION_UNKNOWN",
    message: `There is no session "nonsense". The last used are: ${third}, ${second}, ${first}.`,
  });
  const typo = `${first.slice(0, -1)}${first.endsWith("0") ? "1" : "0"}`;
  await assert.rejects(sessions.open(typo), (error: Error) => error.message.includes(`Did you mean ${first}`));
  await assert.rejects(sessions.open("../../etc/passwd"), { code: "SESSION_UNKNOWN" });
});

test("without sessions there is nothing to open, and that is said", async (t) => {
  const { sessions } = await setUpSessions(t);
  assert.deepEqual(await sessions.list(10), []);
  await assert.rejects(sessions.open("latest"), {
    code: "SESSION_UNKNOWN",
    message: "There is no session here to go on with: start one first.",
  });
});

test("one that was ended is not the latest, stays in the list and can be opened by its id [L2]", async (t) => {
  const { sessions } = await setUpSessions(t);
  const older = await sessions.create(about);
  older.append(user("zero"));
  await older.close();
  const session = await sessions.create(about);
  session.append(user("one"));
  session.append({ type: "ended" });
  await session.close();
  assert.deepEqual(
    (await sessions.list(10)).map(({ isEnded }) => isEnded),
    [true, false],
  );
  await assert.rejects(sessions.open("latest"), { code: "SESSION_UNKNOWN" });
  const again = await sessions.open(session.id);
  again.append(user("two"));
  await again.close();
  assert.equal((await sessions.read("latest")).id, session.id);
});

test("the list tells the last used first, what it was about and who has it open [L2]", async (t) => {
  const { sessions, clock } = await setUpSessions(t);
  const older = await sessions.create(about);
  older.append(user("  fix\n the   bug "));
  older.append(reply("", "read:1", "bash:2"));
  clock.advance(5000);
  older.append(results("read:1", "bash:2"));
  await older.close();
  const newer = await sessions.create({ ...about, model: "other/model" });
  newer.append({ type: "user", parts: [{ type: "image", mediaType: "image/png", data: "" }] });
  utimesSync(older.path, 1000, 1000);
  const start = Date.UTC(2026, 0, 1);
  const olderSummary = {
    id: older.id,
    path: older.path,
    createdAt: start,
    updatedAt: start + 5000,
    model: "script/test",
    title: "fix the bug",
    prompts: 1,
    calls: 2,
    isEnded: false,
    isOpen: false,
    problem: null,
  };
  const newerSummary = {
    id: newer.id,
    path: newer.path,
    createdAt: start + 5000,
    updatedAt: start + 5000,
    model: "other/model",
    title: "[image]",
    prompts: 1,
    calls: 0,
    isEnded: false,
    isOpen: true,
    problem: null,
  };
  assert.deepEqual(await sessions.list(10), [newerSummary, olderSummary]);
  assert.deepEqual(await sessions.list(1), [newerSummary]);
});

test("a session that a living process has is busy; that of a dead one is taken over [L11]", async (t) => {
  const { sessions, options } = await setUpSessions(t);
  const session = await sessions.create(about);
  session.append(user("hello"));
  const busy = {
    code: "SESSION_BUSY",
    message: `The session ${session.id} is in use by process 4711 (since 2026-01-01T00:00:00.000Z): end that one first, or start a new session.`,
  };
  const other = { ...options, owner: { pid: 4712, startTime: "2", bootId: "boot" } };
  await assert.rejects(openSessions(other).open("latest"), busy);
  await assert.rejects(sessions.open("latest"), busy);
  assert.deepEqual((await openSessions(other).read("latest")).branch, session.branch);

  const survivors = openSessions({ ...other, isAlive: ({ pid }) => pid === 4712 });
  const taken = await survivors.open("latest");
  assert.deepEqual(taken.branch, session.branch);
  // The one that was thought dead does not give away what is no longer its own.
  await session.close();
  await assert.rejects(survivors.open("latest"), { code: "SESSION_BUSY" });
  await taken.close();
  assert.deepEqual(readdirSync(options.folder), [`${session.id}.jsonl`]);
});
