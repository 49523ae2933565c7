import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { count } from "../support/counts.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openStore, temporaryDatabase } from "./open-temporary.ts";

test("three processes that write at once lose no row [E5]", async (t) => {
  const path = await temporaryDatabase(t);
  const rounds = count({ quick: 167, full: 2000 });
  const writers = await Promise.all([1, 2, 3].map(() => startReady(t, "write-rows.ts", path, String(rounds))));
  const outputs = await Promise.all(writers.map((writer) => finish(writer)));
  const ids = outputs.flatMap(({ lines }) => lines.filter((line) => line.startsWith("call_")));
  const stalls = outputs.map(({ lines }) => (JSON.parse(lines.at(-1)!) as { longestMs: number }).longestMs);
  t.diagnostic(`longest stalls of the event loop: ${stalls.map((ms) => `${ms.toFixed(0)} ms`).join(", ")}`);
  assert.equal(ids.length, 3 * 3 * rounds);
  const store = await openStore(t, path);
  const stored = await store.list({ limit: Infinity });
  assert.deepEqual(stored.map(({ id }) => id).sort(), ids.sort());
  assert.ok(stored.every(({ state }) => state === "completed"));
});

test("kill -9 in the middle of writing leaves what was committed, in whole transactions [E5]", async (t) => {
  const path = await temporaryDatabase(t);
  for (let round = 0; round < count({ quick: 3, full: 30 }); round++) {
    const writer = await startReady(t, "write-rows.ts", path);
    writer.child.stdin.write("go\n");
    await writer.untilLines(30 + round * 7);
    writer.child.kill("SIGKILL");
    await once(writer.child, "close");
    const store = await openStore(t, path);
    const stored = new Map((await store.list({ limit: Infinity })).map((each) => [each.id, each]));
    const committed = writer.lines.filter((line) => /^call_.{36}$/.test(line));
    assert.ok(committed.length >= 30);
    for (const id of committed) assert.equal(stored.get(id)?.state, "completed");
    const batches = Map.groupBy(stored.values(), ({ batchId }) => batchId);
    for (const batch of batches.values()) assert.equal(batch.length, 3);
    await store.close();
    const raw = new DatabaseSync(path);
    assert.deepEqual(
      raw
        .prepare("PRAGMA integrity_check")
        .all()
        .map((row) => row["integrity_check"]),
      ["ok"],
    );
    raw.close();
  }
});

test("processes that make the same store at once all succeed", async (t) => {
  const folder = await temporaryFolder(t);
  for (let round = 0; round < count({ quick: 3, full: 30 }); round++) {
    const path = join(folder, `${round}`, "deckhand.db");
    const outcomes = await Promise.all([1, 2, 3, 4].map(async () => finish(start(t, "open-store.ts", path))));
    assert.deepEqual(
      outcomes.map(({ lines }) => lines),
      [1, 2, 3, 4].map(() => [JSON.stringify({ code: "OPENED", message: "" })]),
    );
    const raw = new DatabaseSync(path);
    assert.equal(raw.prepare("PRAGMA user_version").get()?.["user_version"], 11);
    raw.close();
  }
});

test("a cancel from another process reaches the owner, which asked no more often than something changed [E5]", async (t) => {
  const path = await temporaryDatabase(t);
  // Opened first: to open a store may be a change as well, and the owner counts changes from its start.
  const store = await openStore(t, path);
  const owner = start(t, "wait-for-cancel.ts", path);
  await owner.untilLines(1);
  const id = owner.lines[0]!;
  assert.equal((await store.get(id))?.state, "running");
  assert.equal(await store.requestCancel(id, "from outside"), true);
  const { lines } = await finish(owner);
  assert.deepEqual(JSON.parse(lines[1]!), { requests: [{ id, reason: "from outside" }], questions: 1 });
});

interface Program {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: string[];
  untilLines(count: number): Promise<void>;
}

function start(t: TestContext, fixture: string, ...args: string[]): Program {
  const program = fileURLToPath(new URL(`../fixtures/store/${fixture}`, import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  t.after(() => void child.kill("SIGKILL"));
  child.stderr.setEncoding("utf8").on("data", (text: string) => t.diagnostic(text));
  const lines: string[] = [];
  const reader = createInterface(child.stdout).on("line", (line) => lines.push(line));
  return {
    child,
    lines,
    async untilLines(wanted) {
      while (lines.length < wanted) await once(reader, "line", { signal: AbortSignal.timeout(120_000) });
    },
  };
}

async function startReady(t: TestContext, fixture: string, ...args: string[]): Promise<Program> {
  const program = start(t, fixture, ...args);
  await program.untilLines(1);
  program.lines.shift();
  return program;
}

async function finish(program: Program): Promise<{ lines: string[] }> {
  program.child.stdin.on("error", () => {}).end("go\n");
  const [code] = (await once(program.child, "close", { signal: AbortSignal.timeout(120_000) })) as [number | null];
  assert.equal(code, 0);
  return program;
}
