import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { lane } from "../../support/require.ts";
import { mountTmpfs, tmpfsAvailable } from "../../support/tmpfs.ts";
import { about, reply, setUpSessions, user } from "./support.ts";

test("a torn last line is kept aside, and the session goes on from the last whole entry [L11]", async (t) => {
  const { sessions } = await setUpSessions(t);
  const session = await sessions.create(about);
  session.append(user("one"));
  session.append(user("two ü"));
  await session.close();
  const whole = readFileSync(session.path);
  // In the middle of the letter.
  truncateSync(session.path, whole.indexOf(0xc3) + 1);
  const [summary] = await sessions.list(1);
  assert.equal(summary!.problem, "Its last line was cut short.");
  assert.deepEqual((await sessions.read("latest")).problems, [
    "Its last line was cut short, or is just being written.",
  ]);

  const again = await sessions.open("latest");
  const aside = session.path.replace(".jsonl", ".torn");
  assert.deepEqual(again.problems, [
    `The last line was cut short: it was moved to ${aside}, and the session goes on before it.`,
  ]);
  assert.deepEqual(again.branch, session.branch.slice(0, 2));
  const lastLine = whole.lastIndexOf(10, whole.length - 2) + 1;
  assert.deepEqual(
    readFileSync(aside),
    Buffer.concat([whole.subarray(lastLine, whole.indexOf(0xc3) + 1), Buffer.from("\n")]),
  );
  assert.equal(statSync(aside).mode & 0o777, 0o600);
  const next = again.append(user("three"));
  await again.close();
  const { branch, problems } = await sessions.read("latest");
  assert.deepEqual(branch, [...session.branch.slice(0, 2), next]);
  assert.deepEqual(problems, []);
});

test("an entry that lacks only the end of its line is whole [L11]", async (t) => {
  const { sessions } = await setUpSessions(t);
  const session = await sessions.create(about);
  session.append(user("one"));
  await session.close();
  truncateSync(session.path, statSync(session.path).size - 1);
  const again = await sessions.open("latest");
  again.append(user("two"));
  assert.deepEqual(again.problems, []);
  assert.deepEqual((await sessions.read("latest")).branch, again.branch);
  assert.equal(again.branch.length, 3);
});

test("what is broken in the middle is told and left out; what follows stays in the conversation [L11]", async (t) => {
  const { sessions } = await setUpSessions(t);
  const session = await sessions.create(about);
  for (let index = 0; index < 7; index++) session.append(user(`prompt ${index}`));
  await session.close();
  const lines = readFileSync(session.path, "utf8").split("\n");
  const change = (index: number, with_: Record<string, unknown>): void => {
    lines[index] = JSON.stringify({ ...(JSON.parse(lines[index]!) as object), ...with_ });
  };
  lines[1] = lines[1]!.slice(0, 40);
  change(2, { type: "poem" });
  change(3, { v: 2 });
  change(4, { parts: [{ type: "text" }] });
  change(5, { at: "yesterday" });
  lines.splice(7, 0, lines[6]!, "", "[]");
  writeFileSync(session.path, lines.join("\n"));
  const before = readFileSync(session.path);

  const again = await sessions.open("latest");
  assert.deepEqual(again.branch, [session.branch[0], ...session.branch.slice(6)]);
  const { id } = session.branch[6]!;
  assert.deepEqual(again.problems, [
    "Line 2 is no JSON: it was left out.",
    'Line 3 has a type that this Deckhand does not know ("poem"): it was left out.',
    "Line 4 was written by a newer Deckhand (v 2): it was left out.",
    "Line 5 is an entry of type user with something missing or wrong in it: it was left out.",
    'Line 6 is no entry of a session (Expected an ISO-8601 time in at, got "yesterday".): it was left out.',
    `Line 8 repeats the entry ${id}: it was left out.`,
    "Line 10 is no JSON object: it was left out.",
  ]);
  assert.deepEqual(readFileSync(session.path), before, "nothing is lost");
  const [summary] = await sessions.list(1);
  assert.equal(summary!.problem, "Line 2 is no JSON: it was left out. (and 6 more like this)");
});

test("an entry that follows one that is gone is put after the one before it [L11]", async (t) => {
  const { sessions } = await setUpSessions(t);
  const session = await sessions.create(about);
  const entries = [0, 1, 2, 3].map((index) => session.append(user(`prompt ${index}`)));
  await session.close();
  const lines = readFileSync(session.path, "utf8").split("\n");
  writeFileSync(session.path, lines.toSpliced(2, 1).join("\n"));
  const { branch, problems } = await sessions.read("latest");
  assert.deepEqual(branch, [session.branch[0], entries[0], entries[2], entries[3]]);
  assert.deepEqual(problems, [
    `The entry ${entries[2]!.id} follows one that is not there: it was put after the one before it.`,
  ]);
});

test("the branch leads from the first entry to the last one by what each follows", async (t) => {
  const { sessions } = await setUpSessions(t);
  const session = await sessions.create(about);
  const entries = [user("a"), reply("b"), user("c"), reply("d")].map((body) => session.append(body));
  await session.close();
  const back = { ...(JSON.parse(readFileSync(session.path, "utf8").split("\n")[1]!) as object), id: "back" };
  const parent = entries[1]!.id;
  appendFileSync(session.path, `${JSON.stringify({ ...back, parent_id: parent })}\n`);
  const again = await sessions.open("latest");
  const next = again.append(reply("e"));
  assert.deepEqual(
    again.branch.map(({ id }) => id),
    [session.branch[0]!.id, entries[0]!.id, parent, "back", next.id],
  );
  const { entries: all } = await sessions.read("latest");
  assert.equal(all.length, 7);
});

test("a file in which nothing can be read is left alone, and said to be so", async (t) => {
  const { sessions, folder, options } = await setUpSessions(t);
  mkdirSync(folder);
  const id = "ses_0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee";
  const path = join(folder, `${id}.jsonl`);
  writeFileSync(path, "not\na session\n");
  await assert.rejects(sessions.open("latest"), {
    code: "SESSION_DAMAGED",
    message: `The session ${id} can't be opened. No entry in it can be read. Look at ${path}, or start a new session.`,
  });
  assert.equal(readFileSync(path, "utf8"), "not\na session\n");
  assert.deepEqual(await options.leases.list(), []);
  const [summary] = await sessions.list(1);
  assert.equal(summary!.problem, "No entry in it can be read.");
});

test("a file that a newer version wrote is called newer, not damaged", async (t) => {
  const { sessions, folder } = await setUpSessions(t);
  mkdirSync(folder);
  const id = "ses_0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee";
  const path = join(folder, `${id}.jsonl`);
  writeFileSync(path, '{"v":2,"type":"session","id":"e1","parent_id":null,"at":"2027-01-01T00:00:00.000Z"}\n');
  const sentence = "It was written by a newer Deckhand: update Deckhand to read it.";
  await assert.rejects(sessions.open("latest"), {
    message: `The session ${id} can't be opened. ${sentence} Look at ${path}, or start a new session.`,
  });
  const [summary] = await sessions.list(1);
  assert.equal(summary!.problem, sentence);
});

test("a link in the place of a session is not followed", async (t) => {
  const { sessions, folder } = await setUpSessions(t);
  mkdirSync(folder);
  writeFileSync(join(folder, "elsewhere"), "");
  symlinkSync("elsewhere", join(folder, "ses_0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee.jsonl"));
  await assert.rejects(sessions.open("latest"), { code: "STORE_UNAVAILABLE" });
  const [summary] = await sessions.list(1);
  assert.match(summary!.problem!, /can't be used/);
});

test(
  "an entry for which the disk has no room is not in the session, and those before it are whole",
  lane("tmpfs", tmpfsAvailable()),
  async (t) => {
    const folder = join(mountTmpfs(t, "64k"), "sessions");
    const { sessions } = await setUpSessions(t, { folder });
    const session = await sessions.create(about);
    session.append(user("small"));
    const before = readFileSync(session.path);
    assert.throws(() => session.append(user("x".repeat(200_000))), { code: "STORE_FULL" });
    assert.deepEqual(readFileSync(session.path), before);
    session.append(user("small again"));
    await session.close();
    const { branch, problems } = await sessions.read("latest");
    assert.deepEqual([branch, problems], [session.branch, []]);
    assert.equal(branch.length, 3);
  },
);
