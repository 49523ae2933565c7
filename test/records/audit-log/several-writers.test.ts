import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { JournalHead, JournalMemory } from "../../../src/core/stores.ts";
import { verifyJournal } from "../../../src/records/audit-log/verify/verify-log.ts";
import type { VerifyReport } from "../../../src/records/audit-log/verify/verify-report.ts";
import { readJournalMemory } from "../../../src/records/sqlite/sqlite-log-heads.ts";
import { count } from "../../support/counts.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { found, openPlace } from "./support.ts";

test("four processes write long lines at once over rotating segments: none torn, none missing [D4]", async (t) => {
  const folder = join(await temporaryFolder(t), "logs");
  const lines = count({ quick: 500, full: 2000 });
  const args = [folder, String(lines), "40000", String(2 * 1024 * 1024)];
  const writers = await Promise.all([1, 2, 3, 4].map(() => startReady(t, args)));
  for (const { child } of writers) child.stdin.end("go\n");
  const codes = await Promise.all(writers.map(({ closed }) => closed));
  assert.deepEqual(codes, [0, 0, 0, 0]);
  const report = await verify(folder);
  assert.deepEqual(found(report), []);
  assert.deepEqual(report.warnings, []);
  assert.equal(report.writers, 4);
  assert.equal(report.headsChecked, 4);
  assert.ok(report.segments > 3, `${report.segments} segments`);
  // Each wrote its lines, `opened` and `closed`; the rest opened segments.
  assert.equal(report.lines, 4 * (lines + 2) + report.segments - 1);
  const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
  assert.deepEqual(new Set(modes), new Set([0o600]));
  assert.equal(statSync(folder).mode & 0o777, 0o700);
});

test("writers killed in the middle of a line leave a journal that goes on and verifies [D4 L11]", async (t) => {
  const place = await openPlace(t);
  const args = [place.folder, "Infinity", "300000", String(4 * 1024 * 1024)];
  for (let round = 0; round < count({ quick: 3, full: 30 }); round++) {
    const writers = await Promise.all([1, 2].map(() => startReady(t, args)));
    for (const { child } of writers) child.stdin.write("go\n");
    await Promise.all(writers.map(({ untilLines }) => untilLines(1 + (round % 4))));
    for (const { child } of writers) child.kill("SIGKILL");
    await Promise.all(writers.map(({ closed }) => closed));
    const journal = place.open();
    await journal.append({ type: "note", text: "after" });
    await journal.close();
    const report = await verify(place.folder, await place.heads.list());
    assert.deepEqual(report.problems, []);
  }
});

test("a log that is rotated while it is verified is whole [D4]", async (t) => {
  const folder = join(await temporaryFolder(t), "logs");
  const recall = (): JournalMemory => readJournalMemory(join(dirname(folder), "deckhand.db"))!;
  for (let round = 0; round < count({ quick: 1, full: 20 }); round++) {
    const args = [folder, "400", "1000", "16384"];
    const writers = await Promise.all([1, 2, 3].map(() => startReady(t, args)));
    let isOver = false;
    const codes = Promise.all(writers.map(({ closed }) => closed)).finally(() => (isOver = true));
    for (const { child } of writers) child.stdin.end("go\n");
    while (!isOver) assert.deepEqual(found(await verifyJournal({ folder, recall })), []);
    assert.deepEqual(await codes, [0, 0, 0]);
  }
  const report = await verifyJournal({ folder, recall });
  assert.deepEqual(found(report), []);
  assert.ok(report.segments > 10, `${report.segments} segments`);
});

function verify(folder: string, more: readonly JournalHead[] = []): Promise<VerifyReport> {
  const { heads, prunes } = readJournalMemory(join(dirname(folder), "deckhand.db"))!;
  return verifyJournal({ folder, recall: () => ({ heads: [...heads, ...more], prunes }) });
}

interface Program {
  readonly child: ChildProcessWithoutNullStreams;
  readonly closed: Promise<number | null>;
  readonly untilLines: (count: number) => Promise<void>;
}

async function startReady(t: TestContext, args: readonly string[]): Promise<Program> {
  const program = fileURLToPath(new URL("../../fixtures/journal/write-lines.ts", import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  t.after(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => undefined);
  child.stderr.setEncoding("utf8").on("data", (text: string) => t.diagnostic(text));
  const lines: string[] = [];
  const reader = createInterface(child.stdout).on("line", (line) => lines.push(line));
  const closed = once(child, "close").then(([code]) => code as number | null);
  const untilLines = async (wanted: number): Promise<void> => {
    while (lines.length < wanted) await once(reader, "line", { signal: AbortSignal.timeout(120_000) });
  };
  await untilLines(1);
  lines.length = 0;
  return { child, closed, untilLines };
}
