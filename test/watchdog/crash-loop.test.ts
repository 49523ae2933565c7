import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  type CrashRecord,
  findCrashLoop,
  readCrashRecords,
  writeCrashRecord,
} from "../../src/watchdog/records/crash-records.ts";
import type { Promotion } from "../../src/core/stores.ts";
import { createLastLines } from "../../src/watchdog/supervise.ts";
import { temporaryFolder } from "../support/temporary.ts";

const minute = 60_000;
const noon = Date.UTC(2026, 5, 1, 12);

function death(at: number, changes: Partial<CrashRecord> = {}): CrashRecord {
  const uptimeMs = changes.uptimeMs ?? 2000;
  return {
    v: 1,
    at,
    startedAt: at - uptimeMs,
    pid: 7,
    program: "node",
    exitCode: 1,
    signal: null,
    cause: "exit",
    uptimeMs,
    counted: true,
    safeMode: false,
    hang: null,
    lastLines: ["Error: no"],
    ...changes,
  };
}
const young = [death(noon + 5000), death(noon + 9000), death(noon + 15_000)];
const promoted = (at: number, version = "echo@1", rolledBackAt: number | null = null): Promotion => ({
  tool: "echo",
  version,
  at,
  rolledBackAt,
});
const now = noon + 20_000;

test("a healthy daemon that died of a promotion, and whose successors die young: that promotion began it [D3]", () => {
  const first = death(noon, { counted: false, uptimeMs: 2 * 86_400_000 });
  const [guilty, older, later] = [
    promoted(noon - 1000),
    promoted(noon - 5 * minute, "echo@0"),
    promoted(noon + 6000, "echo@2"),
  ];
  const loop = findCrashLoop([first, ...young], [older, later, guilty], now);
  assert.deepEqual(loop, { beganAt: noon, deaths: 4, promotion: guilty });
});

test("a promotion that comes with a start is blamed for the deaths that follow [D3]", () => {
  const guilty = promoted(young[0]!.startedAt + 100);
  assert.deepEqual(findCrashLoop(young, [guilty], now)?.promotion, guilty);
});

test("two deaths are no loop, and neither are three that a healthy run parts, or that are long ago [D3]", () => {
  const guilty = promoted(noon - 1000);
  assert.equal(findCrashLoop(young.slice(1), [guilty], now), null);
  const healthy = death(noon + 14_000, { counted: false, uptimeMs: 11_000 });
  assert.equal(findCrashLoop([young[0]!, young[1]!, healthy, young[2]!], [guilty], now), null);
  assert.equal(findCrashLoop(young, [guilty], now + 11 * minute), null);
  assert.equal(findCrashLoop([], [guilty], now), null);
});

test("a loop without a promotion shortly before it is nobody's fault [D3]", () => {
  const loop = findCrashLoop(young, [promoted(noon - 60 * minute), promoted(noon + 6000)], now);
  assert.deepEqual(loop, { beganAt: noon + 5000, deaths: 3, promotion: null });
});

test("after a rollback the next version is blamed only when three more died since [D3]", () => {
  const promotions = [promoted(noon - 2000, "echo@1", noon + 16_000), promoted(noon - minute, "sum@4")];
  assert.equal(findCrashLoop(young, promotions, now)?.promotion, null);
  const since = [20, 24, 28].map((second) => death(noon + second * 1000));
  const loop = findCrashLoop([...young, ...since], promotions, noon + 30_000);
  assert.deepEqual([loop?.deaths, loop?.promotion?.version], [6, "sum@4"]);
});

test("crash records come back as they were, oldest first; what is no record is left out, and fifty are kept [D3]", async (t) => {
  const folder = join(await temporaryFolder(t), "crashes");
  assert.deepEqual(readCrashRecords(folder), []);
  mkdirSync(folder);
  writeFileSync(join(folder, "0-broken.json"), "{");
  writeFileSync(join(folder, "1-other.json"), `{"v":1}`);
  for (const record of young.toReversed()) writeCrashRecord(folder, record);
  assert.deepEqual(readCrashRecords(folder), young);
  for (let n = 0; n < 60; n++) writeCrashRecord(folder, death(noon + n * minute));
  assert.equal(readdirSync(folder).length, 50);
  assert.equal(readCrashRecords(folder).at(-1)!.at, noon + 59 * minute);
});

test("the last lines are the last ones however much came before, also across the end of the memory for them [D3]", () => {
  const lines = createLastLines(1000);
  assert.deepEqual(lines.read(), []);
  for (let n = 1; n <= 500; n++) lines.add(Buffer.from(`line ${n}\nha`).subarray(0, -2));
  assert.deepEqual(lines.read().slice(-2), ["line 499", "line 500"]);
  assert.equal(lines.read()[0], "line 390");
  lines.add(Buffer.alloc(5000, "x"));
  assert.deepEqual(lines.read(), ["x".repeat(1000)]);
  lines.add(Buffer.from("\nlast"));
  assert.deepEqual(lines.read().at(-1), "last");
  lines.clear();
  assert.deepEqual(lines.read(), []);
  lines.add(Buffer.from("of the next child\n"));
  assert.deepEqual(lines.read(), ["of the next child"]);
  const few = createLastLines();
  for (let n = 1; n <= 300; n++) few.add(Buffer.from(`${n}\r\n`));
  assert.deepEqual([few.read().length, few.read()[0]], [200, "101"]);
});
