import assert from "node:assert/strict";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { searchEntries, type EntryPlace, type EntrySearch } from "../../../src/records/audit-log/search-entries.ts";
import { count } from "../../support/counts.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const call = "call_0190a5b0-0000-7000-8000-00000000000";

function line(given: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ v: 1, writer: "abc", seq: 1, at: "2026-11-16T09:00:00.000Z", ...given, hash: "f".repeat(64) })}\n`;
}

test("what a line says is found in any case, also where JSON escapes it, and the journal's own keys are not [D4]", async (t) => {
  const folder = await temporaryFolder(t);
  const lines = [
    line({ type: "note", text: 'He said "Ahoy"\nand left' }),
    line({ type: "tool_call", id: `${call}1`, tool_name: "bash", input: { command: "ls -l" } }),
    line({ type: "tool_call", id: `${call}2`, tool_name: "read", input: { file_path: "ŒUVRE.txt", depth: 42 } }),
  ];
  await writeFile(join(folder, "chat_log.jsonl"), lines.join(""));
  const found = async (search: Omit<EntrySearch, "limit">): Promise<number[]> =>
    (await searchEntries(folder, { ...search, limit: 10 })).entries.map(({ place }) => lineAt(place));
  const lineAt = ({ offset }: EntryPlace): number =>
    Buffer.from(lines.join("")).subarray(0, offset).toString().split("\n").length;

  assert.deepEqual(await found({}), [3, 2, 1]);
  assert.deepEqual(await found({ text: '"ahoy"\nAND' }), [1]);
  assert.deepEqual(await found({ text: "œuvre" }), [3]);
  assert.deepEqual(await found({ text: "42" }), [3]);
  assert.deepEqual(await found({ text: "file_path" }), [3]);
  assert.deepEqual(await found({ text: "ffff" }), []);
  assert.deepEqual(await found({ text: "abc" }), []);
  assert.deepEqual(await found({ callId: `${call}1` }), [2]);
  assert.deepEqual(await found({ types: ["tool_call"], tools: ["read", "bash"] }), [3, 2]);
  assert.deepEqual(await found({ types: ["note"], callId: `${call}1` }), []);
});

test("pages follow each other over segments, however they are cut, and none is missing or twice [D4]", async (t) => {
  const folder = await temporaryFolder(t);
  const all: string[] = [];
  for (const name of ["chat_log.1.jsonl", "chat_log.2.jsonl", "chat_log.jsonl"]) {
    for (let index = 0; index < 40; index++) {
      // Some are longer than what is read at once.
      const text = index % 20 === 7 ? "x".repeat(150_000) : "short";
      const id = `${name}:${index}`;
      all.unshift(id);
      await appendFile(join(folder, name), line({ type: "note", id, text }));
    }
  }
  for (const limit of [1, 7, 40, 500]) {
    const seen: unknown[] = [];
    let before: EntryPlace | undefined;
    do {
      const page = await searchEntries(folder, { limit, ...(before && { before }) });
      assert.ok(page.entries.length <= limit);
      seen.push(...page.entries.map(({ entry }) => entry["id"]));
      before = page.next ?? undefined;
    } while (before);
    assert.deepEqual(seen, all, `${limit} at a time`);
  }
});

test("what is no line is passed over, and a segment that is gone is no failure [D4]", async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, "chat_log.jsonl"), `garbage\n${line({ type: "note", id: "one" })}\n\n{"half": `);
  const { entries, next } = await searchEntries(folder, { limit: 10, before: { segment: 9, offset: 5 } });
  assert.deepEqual([entries.map(({ entry }) => entry["id"]), next], [["one"], null]);
  assert.deepEqual(await searchEntries(folder, { limit: 10, before: { segment: 0, offset: 5 } }), {
    entries: [],
    next: null,
  });
  assert.deepEqual(await searchEntries(join(folder, "none"), { limit: 10 }), { entries: [], next: null });
});

test("one search gives 2 MB at most, and goes on behind the last it gave [D4]", async (t) => {
  const folder = await temporaryFolder(t);
  const long = line({ type: "note", text: "z".repeat(500_000) });
  await writeFile(join(folder, "chat_log.jsonl"), long.repeat(12));
  const first = await searchEntries(folder, { limit: 100 });
  assert.deepEqual([first.entries.length, first.next], [5, { segment: 1, offset: Buffer.byteLength(long) * 7 }]);
  assert.equal((await searchEntries(folder, { limit: 100, before: first.next! })).entries.length, 5);
});

test("one search reads 16 MB at most, and says where to go on although it found nothing [D4]", async (t) => {
  const folder = await temporaryFolder(t);
  const filler = line({ type: "note", text: "y".repeat(1000) });
  const block = filler.repeat(1000);
  const blocks = count({ quick: 40, full: 120 });
  await writeFile(join(folder, "chat_log.jsonl"), line({ type: "note", id: "first", text: "needle" }));
  for (let index = 0; index < blocks; index++) await appendFile(join(folder, "chat_log.jsonl"), block);
  const size = Buffer.byteLength(block) * blocks;
  let [pages, found] = [0, 0];
  let before: EntryPlace | undefined;
  do {
    const page = await searchEntries(folder, { text: "needle", limit: 10, ...(before && { before }) });
    const end = before?.offset ?? size;
    assert.ok(end - (page.next?.offset ?? 0) <= 16 * 1024 * 1024 + filler.length);
    pages += 1;
    found += page.entries.length;
    before = page.next ?? undefined;
  } while (before);
  assert.equal(found, 1);
  assert.equal(pages, Math.ceil(size / (16 * 1024 * 1024)));
});
