import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appendFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import type { JournalHead, JournalHeads } from "../../../src/core/stores.ts";
import { verifyJournal } from "../../../src/records/audit-log/verify/verify-log.ts";
import { found, openPlace, type LogPlace } from "./support.ts";

interface Forged {
  readonly writer: string;
  readonly seq: number;
  readonly prev: string | null;
  readonly after?: string;
  readonly at?: string;
  readonly [key: string]: unknown;
}

/** A line whose hash is true: anyone can make one. */
function forge({ writer, seq, prev, after, at, ...said }: Forged): string {
  const head = {
    v: 1,
    writer,
    seq,
    prev,
    ...(after === undefined ? {} : { after }),
    at: at ?? new Date().toISOString(),
  };
  const hashed = JSON.stringify({ ...head, ...said }).slice(0, -1);
  return `${hashed},"hash":"${createHash("sha256").update(hashed).digest("hex")}"}`;
}

function hashOf(line: string): string {
  return (JSON.parse(line) as { hash: string }).hash;
}

/** One closed writer; with segments of `maxBytes`. */
async function writeOne(t: TestContext, maxBytes = 1_000_000): Promise<LogPlace> {
  const place = await openPlace(t);
  let monotonic = 0;
  const clock = { now: () => Date.now(), monotonic: () => (monotonic += 200), after: () => () => undefined };
  const settings = { audit: true, workflow: true, onFailure: "refuse", fsync: "never", maxBytes } as const;
  const journal = place.open({ writer: "real", clock, settings });
  for (let index = 0; index < 6; index++) await journal.append({ type: "note", text: "x".repeat(400) });
  await journal.close();
  return place;
}

describe("lines that somebody else put in, with hashes that are true", () => {
  test("by an invented writer, at the end or in the middle, are found, also before a head that was noted [D4]", async (t) => {
    const place = await writeOne(t);
    const lines = place.lines();
    const { head } = await place.verify();
    const made = (index: number): string =>
      forge({ writer: "made", seq: 1, prev: null, after: hashOf(lines[index - 1]!), type: "tool_call", id: "call_x" });
    for (const index of [3, lines.length]) {
      place.rewrite(lines.toSpliced(index, 0, made(index)));
      assert.deepEqual(found(await place.verify()), [`unknown_writer chat_log.jsonl:${index + 1} #1`]);
    }
    place.rewrite(lines.toSpliced(3, 0, made(3)));
    assert.deepEqual(
      (await place.verify(head!)).problems.map(({ kind }) => kind),
      ["unknown_writer", "unaccounted"],
    );
    const alone = await verifyJournal({ folder: place.folder, recall: () => "there is no store", head: head! });
    assert.deepEqual(found(alone), ["unaccounted chat_log.jsonl:4 #1"]);
    assert.match(alone.warnings[0]!.message, /there is no store.*lines of a forged writer/);
  });

  test("that say retention removed a segment do not excuse that it is gone, whoever they are of [D4]", async (t) => {
    const place = await writeOne(t, 1500);
    const [first, last] = [place.lines("chat_log.1.jsonl").at(-1)!, place.lines().at(-1)!];
    const open = place.open({ writer: "open" });
    await open.append({ type: "note", text: "and then killed" });
    await open.flush();
    const [head] = (await place.heads.list()).filter(({ writer }) => writer === "open");
    const { seq, hash } = JSON.parse(first) as { seq: number; hash: string };
    const pruned = { type: "pruned", what: "segments", count: 1, until: null, first_segment: 1, last_segment: 1 };
    const said = { ...pruned, last_hash: hash, continued: [{ writer: "real", seq, hash }] };
    rmSync(join(place.folder, "chat_log.1.jsonl"));
    const before = place.lines();
    place.rewrite([...before, forge({ writer: "made", seq: 1, prev: null, after: hashOf(last), ...said })]);
    const kinds = async (): Promise<string[]> => (await place.verify()).problems.map(({ kind }) => kind).toSorted();
    assert.deepEqual(await kinds(), ["removed", "segment", "unknown_writer"]);
    place.rewrite([...before, forge({ writer: "open", seq: head!.seq + 1, prev: head!.hash, ...said })]);
    assert.deepEqual(await kinds(), ["removed", "segment", "segment"]);
  });

  test("do not explain bytes that are no line [D4]", async (t) => {
    const place = await writeOne(t);
    const sha256 = createHash("sha256").update("evil bytes").digest("hex");
    const repaired = forge({ writer: "made", seq: 1, prev: null, type: "repaired", bytes: 10, sha256 });
    appendFileSync(place.file, `evil bytes\n${repaired}\n`);
    assert.deepEqual(
      (await place.verify()).problems.map(({ kind }) => kind),
      ["unknown_writer", "unreadable"],
    );
  });

  test("in the name of a writer that was killed explain no bytes, but for half a line as a crash leaves it [D4]", async (t) => {
    const place = await writeOne(t);
    for (const writer of ["killed", "second"]) {
      const journal = place.open({ writer });
      await journal.append({ type: "note", text: "last" });
      await journal.flush();
    }
    const whole = place.lines();
    const heads = await place.heads.list();
    const [killed, second] = ["killed", "second"].map((name) => heads.find(({ writer }) => writer === name)!) as [
      JournalHead,
      JournalHead,
    ];
    const note = async (bytes: string): Promise<[boolean, string[]]> => {
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      const said = { type: "repaired", bytes: Buffer.byteLength(bytes), sha256 };
      place.rewrite([...whole, bytes, forge({ writer: "second", seq: second.seq + 1, prev: second.hash, ...said })]);
      const { problems, warnings } = await place.verify();
      return [problems.length === 0, [...problems, ...warnings].map(({ kind }) => kind).toSorted()];
    };
    const half = `{"v":1,"writer":"killed","seq":${killed.seq + 1},"prev":"${killed.hash}","at":"20`;
    for (const torn of [half, half.slice(0, 30), half.slice(0, 12)]) {
      assert.deepEqual(await note(torn), [true, ["torn", "unconfirmed"]], torn);
    }
    for (const bytes of ["evil bytes", half.replace("killed", "made"), half.replace("killed", "real"), `x${half}`]) {
      assert.deepEqual(await note(bytes), [false, ["unconfirmed", "unreadable"]], bytes);
    }
  });

  test("half, directly before a line, are only what a known writer left that did not end [D4]", async (t) => {
    const place = await writeOne(t);
    const journal = place.open({ writer: "killed" });
    await journal.append({ type: "note", text: "last" });
    await journal.flush();
    const lines = place.lines();
    const { seq: ended } = (await place.heads.list()).find(({ writer }) => writer === "real")!;
    const glue = async (writer: string, seq: number): Promise<string[]> => {
      const half = `{"v":1,"writer":"${writer}","seq":${seq},"prev":null,"at":"2026-01-01","type":"note","text":"FORGED"`;
      const other = forge({ writer: "other", seq: 1, prev: null, after: hashOf(lines.at(-1)!), type: "note" });
      await place.heads.save({ writer: "other", seq: 1, hash: hashOf(other), segment: 1, bytes: 1, at: Date.now() });
      place.rewrite([...lines, half + other]);
      return found(await place.verify());
    };
    assert.deepEqual(await glue("killed", 3), []);
    const at = `chat_log.jsonl:${lines.length + 1}`;
    assert.deepEqual(await glue("killed", 4), [`unreadable ${at} #4`]);
    assert.deepEqual(await glue("ffffffffffffffff", 1), [`unreadable ${at} #1`]);
    assert.deepEqual(await glue("real", ended + 1), [`unreadable ${at} #${ended + 1}`]);
  });

  test("under the name of a writer that was killed are found, or a remark when they say to be of its last moment [D4]", async (t) => {
    const place = await openPlace(t);
    const journal = place.open({ writer: "killed" });
    await journal.append({ type: "note", text: "last" });
    await journal.flush();
    const [head] = await place.heads.list();
    const lines = place.lines();
    const next = (laterMs: number): string =>
      forge({
        writer: "killed",
        seq: 3,
        prev: head!.hash,
        at: new Date(head!.at + laterMs).toISOString(),
        type: "note",
      });
    place.rewrite([...lines, next(60_000)]);
    assert.deepEqual(found(await place.verify()), ["inserted chat_log.jsonl:3 #3"]);
    place.rewrite([...lines, next(50)]);
    const { ok, warnings } = await place.verify();
    assert.deepEqual([ok, warnings.map(({ kind, line }) => [kind, line])], [true, [["unconfirmed", 3]]]);
    place.rewrite([...lines, forge({ writer: "killed", seq: 3, prev: head!.hash, at: "never", type: "note" })]);
    assert.equal((await place.verify()).ok, false);
  });
});

describe("the store", () => {
  test("knows a writer before its first line, and that an idle one goes on before it does [D4]", async (t) => {
    const place = await openPlace(t);
    const told: (readonly [seq: number, lines: number])[] = [];
    const count = (): number => {
      try {
        return place.lines().length;
      } catch {
        return 0; // There is no file yet.
      }
    };
    const heads: JournalHeads = {
      ...place.heads,
      saveNow(head: JournalHead) {
        told.push([head.seq, count()]);
        return place.heads.saveNow!(head);
      },
    };
    let monotonic = 0;
    const clock = { now: () => Date.now(), monotonic: () => monotonic, after: () => () => undefined };
    const journal = place.open({ heads, clock });
    await journal.append({ type: "note", text: "1" });
    for (let index = 0; index < 50; index++) await journal.append({ type: "note", text: "at once" });
    monotonic += 1000;
    await journal.append({ type: "note", text: "after a while" });
    assert.deepEqual(told, [
      [0, 0],
      [52, 52],
    ]);
    await journal.close();
  });

  test("that is busy holds back the first line until it knows the writer, and no line is lost [D4]", async (t) => {
    const place = await openPlace(t);
    const busy = Promise.withResolvers<void>();
    const heads: JournalHeads = {
      ...place.heads,
      saveNow: () => false,
      async save(head) {
        await busy.promise;
        await place.heads.save(head);
      },
    };
    const journal = place.open({ heads });
    const first = journal.append({ type: "note", text: "first" });
    journal.appendBehind({ type: "note", text: "behind" });
    const second = journal.append({ type: "note", text: "second" });
    assert.throws(() => place.lines(), { code: "ENOENT" });
    const closed = journal.close();
    busy.resolve();
    await Promise.all([first, second, closed]);
    assert.deepEqual(
      place.entries().map(({ type, text }) => text ?? type),
      ["opened", "behind", "first", "second", "closed"],
    );
    assert.deepEqual((await place.verify()).problems, []);
  });
});

describe("a head that was noted", () => {
  test("accounts for the lines of all that it cites, over a torn line and rotated segments [D4]", async (t) => {
    const place = await writeOne(t, 1500);
    appendFileSync(place.file, '{"v":1,"writer":"torn","seq":1,"pre');
    for (const writer of ["b", "c"]) {
      const journal = place.open({ writer });
      await journal.append({ type: "note", text: writer });
      await journal.close();
    }
    const head = hashOf(place.lines().at(-1)!);
    const report = await verifyJournal({ folder: place.folder, recall: () => "there is no store", head });
    assert.deepEqual(report.problems, []);
  });

  test("does not account for what was written in the same moment; the store does [D4]", async (t) => {
    const place = await writeOne(t);
    const lines = place.lines();
    // Two writers that saw the same end of the file.
    const raced = forge({ writer: "raced", seq: 1, prev: null, after: hashOf(lines.at(-1)!), type: "note" });
    const last = forge({ writer: "last", seq: 1, prev: null, after: hashOf(lines.at(-1)!), type: "note" });
    place.rewrite([...lines, raced, last]);
    const noted = { folder: place.folder, head: hashOf(last) };
    const alone = await verifyJournal({ ...noted, recall: () => "there is no store" });
    assert.deepEqual(found(alone), [`unaccounted chat_log.jsonl:${lines.length + 1} #1`]);
    for (const [writer, line] of [
      ["raced", raced],
      ["last", last],
    ] as const) {
      await place.heads.save({ writer, seq: 1, hash: hashOf(line), segment: 1, bytes: 1, at: Date.now() });
    }
    assert.deepEqual((await place.verify(hashOf(last))).problems, []);
  });
});

test("a log, or its folder, that is a link is a problem, whatever it leads to [D4]", async (t) => {
  const place = await writeOne(t);
  const elsewhere = join(place.folder, "elsewhere");
  renameSync(place.file, elsewhere);
  symlinkSync(elsewhere, place.file);
  assert.equal(found(await place.verify())[0], "not_a_file chat_log.jsonl:- #-");
  rmSync(place.file);
  renameSync(elsewhere, place.file);
  assert.deepEqual(found(await place.verify()), []);
  renameSync(place.folder, `${place.folder}-moved`);
  symlinkSync(`${place.folder}-moved`, place.folder);
  assert.deepEqual(found(await place.verify()), ["not_a_file null:- #-"]);
});
