import assert from "node:assert/strict";
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createAwakeTime, createPulse } from "../../src/watchdog/child/run-child.ts";
import { readBeat } from "../../src/watchdog/child/heartbeat.ts";
import type { WatchdogSettings } from "../../src/watchdog/watchdog-settings.ts";
import { beatVariable, childEnvironment } from "../../src/watchdog/child/start-child.ts";
import { startHeartbeat } from "../../src/watchdog/child/start-heartbeat.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { temporaryFolder } from "../support/temporary.ts";

const settings = { heartbeat: "required", hangMs: 20_000, startupMs: 60_000, stableMs: 60_000 } as const;

test("a child is starting, healthy, silent and hung by its beats, and stable after a healthy minute [D3]", () => {
  const pulse = createPulse(settings);
  pulse.look(null, 59_999);
  assert.equal(pulse.state, "starting");
  pulse.look({ mark: "1", isStarting: false }, 500);
  assert.equal(pulse.state, "healthy");
  for (let beat = 2; beat < 31; beat++) pulse.look({ mark: String(beat), isStarting: false }, 2000);
  assert.equal(pulse.wasStable, false);
  pulse.look({ mark: "31", isStarting: false }, 2000);
  assert.equal(pulse.wasStable, true);
  pulse.look({ mark: "31", isStarting: false }, 10_001);
  assert.deepEqual([pulse.state, pulse.healthyMs], ["silent", 0]);
  pulse.look({ mark: "31", isStarting: false }, 9998);
  assert.equal(pulse.state, "silent");
  pulse.look({ mark: "31", isStarting: false }, 1);
  assert.equal(pulse.state, "hung");
});

test("a required heartbeat that never comes is a hang after the startup time; an optional one is none [D3]", () => {
  const [required, auto] = [createPulse(settings), createPulse({ ...settings, heartbeat: "auto" })];
  for (const pulse of [required, auto]) pulse.look(null, 60_000);
  assert.deepEqual([required.state, auto.state], ["hung", "healthy"]);
});

test("a clock that goes back does not make a beat old [D3]", () => {
  const pulse = createPulse(settings);
  pulse.look({ mark: "1700000000000 40", isStarting: false }, 500);
  pulse.look({ mark: "1600000000000 40", isStarting: false }, 19_999);
  assert.deepEqual([pulse.state, pulse.silentMs], ["healthy", 0]);
});

test("time that the watchdog did not run, or the machine slept, is lost and not awake [D3]", () => {
  const [clock, wall] = [createManualClock(), { aheadMs: 0 }];
  const awake = createAwakeTime({ ...clock, now: () => clock.now() + wall.aheadMs }, 500);
  clock.advance(600);
  assert.deepEqual(awake.take(), { awakeMs: 600, lostMs: 0 });
  clock.advance(30_000);
  assert.deepEqual(awake.take(), { awakeMs: 1000, lostMs: 29_000 });
  wall.aheadMs = 8 * 3_600_000;
  clock.advance(500);
  assert.deepEqual(awake.take(), { awakeMs: 500, lostMs: 8 * 3_600_000 });
  wall.aheadMs = 0;
  clock.advance(500);
  assert.deepEqual(awake.take(), { awakeMs: 500, lostMs: 0 });
});

test("a heartbeat every two seconds, which names its process, and is made again when its file is gone [D3]", async (t) => {
  const path = join(await temporaryFolder(t), "heartbeat");
  const clock = createManualClock();
  assert.equal(readBeat(path), null);
  const heartbeat = startHeartbeat(path, clock);
  assert.equal(readBeat(path)!.isStarting, true);
  heartbeat.ready();
  const first = readBeat(path)!;
  assert.equal(first.isStarting, false);
  assert.deepEqual([first.pid, JSON.parse(readFileSync(path, "utf8")).pid], [process.pid, process.pid]);
  clock.advance(1999);
  assert.equal(readBeat(path)!.mark, first.mark);
  clock.advance(1);
  const second = readBeat(path)!;
  assert.notEqual(second.mark, first.mark);
  assert.equal(statSync(path).mtimeMs, clock.now());
  rmSync(path);
  clock.advance(4000);
  assert.notEqual(readBeat(path), null);
  heartbeat.end();
  assert.equal(clock.waiting, 0);
});

test("a child beats four times in the silence that is a hang, and every two seconds at the least [D3]", async (t) => {
  const beatSeconds = (hangMs: number): string | undefined => {
    const settings = { hangMs, stateFolder: "/state", workdir: "/work" } as WatchdogSettings;
    return childEnvironment({}, { settings, safeMode: false, mark: "start" })[beatVariable];
  };
  assert.deepEqual([1000, 3000, 8000, 20_000].map(beatSeconds), ["0.25", "0.75", "2", "2"]);
  const path = join(await temporaryFolder(t), "heartbeat");
  const clock = createManualClock();
  const heartbeat = startHeartbeat(path, clock, 250);
  t.after(() => heartbeat.end());
  const first = readBeat(path)!;
  clock.advance(250);
  assert.notEqual(readBeat(path)!.mark, first.mark);
});

test("a process that listens to SIGINT itself is not asked for its stack by it [D3]", async (t) => {
  const path = join(await temporaryFolder(t), "heartbeat");
  const listener = (): void => undefined;
  process.on("SIGINT", listener);
  t.after(() => process.off("SIGINT", listener));
  const heartbeat = startHeartbeat(path, createManualClock());
  t.after(() => heartbeat.end());
  assert.equal(readBeat(path)!.stackSignal, null);
});

test("a start that takes longer than its limit is no hang while its beats say that it starts", () => {
  for (const heartbeat of ["required", "auto"] as const) {
    const pulse = createPulse({ ...settings, heartbeat });
    for (let beat = 0; beat < 100; beat++) {
      pulse.look({ mark: `starting ${beat}`, isStarting: true }, settings.startupMs / 2);
      assert.deepEqual([pulse.state, pulse.hasBeaten, pulse.healthyMs], ["starting", false, 0]);
    }
    pulse.look({ mark: "ready", isStarting: false }, 10);
    assert.deepEqual([pulse.state, pulse.hasBeaten], ["healthy", true]);
  }
});

test("a start whose beats stop hangs after the time that a start has", () => {
  const pulse = createPulse({ ...settings, heartbeat: "required" });
  pulse.look({ mark: "starting", isStarting: true }, 10);
  pulse.look({ mark: "starting", isStarting: true }, settings.startupMs - 1);
  assert.equal(pulse.state, "starting");
  pulse.look({ mark: "starting", isStarting: true }, 1);
  assert.equal(pulse.state, "hung");
});
