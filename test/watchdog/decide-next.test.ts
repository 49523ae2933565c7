import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decideNext, noHistory, type ChildEnd, type History } from "../../src/watchdog/decide-next.ts";
import { count } from "../support/counts.ts";

const settings = {
  backoffMs: 1000,
  maxBackoffMs: 60_000,
  minUptimeMs: 10_000,
  maxRestarts: 0,
  mostUnhealthy: 10,
  unhealthyWindowMs: 600_000,
};
const crash: ChildEnd = {
  exitCode: 1,
  signal: null,
  cause: "exit",
  uptimeMs: 500,
  wasHealthy: false,
  wasStable: false,
};
const decide = (end: Partial<ChildEnd>, history: History = noHistory, changes: object = {}) =>
  decideNext({ ...crash, ...end }, history, { settings: { ...settings, ...changes }, now: 0, random: 0.5 });

test("delays are 1, 2, 4 … 60 s, a fifth more or less [D3]", () => {
  const delays = [0, 1, 2, 3, 4, 5, 6, 7, 100].map((streak) => decide({}, { ...noHistory, streak }));
  assert.deepEqual(
    delays.map((decision) => decision.next === "restart" && decision.delayMs),
    [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000],
  );
  const bounds = [0, 1].map((random) => decideNext(crash, noHistory, { settings, now: 0, random }));
  assert.deepEqual(
    bounds.map((decision) => decision.next === "restart" && decision.delayMs),
    [800, 1200],
  );
});

test("with a first and a longest delay of half a second none is longer than 0.6 s, however often it dies young [D3]", () => {
  const half = { ...settings, backoffMs: 500, maxBackoffMs: 500 };
  const delays = [1, 2, 10, 100].flatMap((streak) =>
    [true, false].map((safeMode) =>
      decideNext(crash, { unhealthyAt: [], streak, safeMode }, { settings: half, now: 0, random: 1 }),
    ),
  );
  assert.deepEqual(
    delays.map((decision) => decision.next === "restart" && decision.delayMs),
    delays.map(() => 600),
  );
});

test("the exit code says what is next [D3]", () => {
  const told = (end: Partial<ChildEnd>) => {
    const decision = decide(end);
    const delayMs = decision.next === "restart" ? decision.delayMs : null;
    return [decision.next, delayMs, decision.counted, decision.next === "stop" && decision.failed];
  };
  assert.deepEqual(told({ exitCode: 0 }), ["stop", null, false, false]);
  assert.deepEqual(told({ exitCode: 78 }), ["stop", null, false, true]);
  assert.deepEqual(told({ exitCode: 69 }), ["restart", 1000, false, false]);
  assert.deepEqual(told({ exitCode: 75, uptimeMs: 1000 }), ["restart", 0, false, false]);
  assert.deepEqual(told({ exitCode: 75, uptimeMs: 0 }), ["restart", 1000, false, false]);
  assert.deepEqual(told({ exitCode: 1 }), ["restart", 1000, true, false]);
  assert.deepEqual(told({ exitCode: null, signal: "SIGKILL" }), ["restart", 1000, true, false]);
  assert.deepEqual(told({ exitCode: 0, cause: "hang" }), ["restart", 1000, true, false]);
  assert.deepEqual(told({ exitCode: 1, cause: "stopped" }), ["stop", null, false, false]);
});

test("alive is not healthy: only a healthy run past the least uptime is not counted [D3]", () => {
  assert.equal(decide({ uptimeMs: 10_000, wasHealthy: true }).counted, false);
  assert.equal(decide({ uptimeMs: 9999, wasHealthy: true }).counted, true);
  assert.equal(decide({ uptimeMs: 1e9, wasHealthy: false }).counted, true);
});

test("a stable run makes the next delay short again and forgets the unhealthy ends [D3]", () => {
  const history: History = { unhealthyAt: [0, 0, 0, 0, 0, 0, 0, 0, 0], streak: 9, safeMode: false };
  const decision = decide({ cause: "hang", wasStable: true }, history);
  assert.deepEqual(decision.next === "restart" && [decision.delayMs, decision.history], [
    1000,
    { unhealthyAt: [0], streak: 1, safeMode: false },
  ]);
});

test("the tenth unhealthy end within ten minutes leads to safe mode; ends that are longer ago do not count [D3]", () => {
  const nine = Array.from({ length: 9 }, (_, index) => index * 60_000);
  const at = (now: number) =>
    decideNext(crash, { unhealthyAt: nine, streak: 9, safeMode: false }, { settings, now, random: 0.5 });
  const [soon, late] = [at(599_999), at(600_000)];
  assert.deepEqual(
    [soon.next === "restart" && soon.history.safeMode, late.next === "restart" && late.history.safeMode],
    [true, false],
  );
});

test("where restarts have a limit, an unhealthy end in safe mode is the last, unless that run had been stable [D3]", () => {
  const safe: History = { unhealthyAt: [], streak: 1, safeMode: true };
  const limit = { maxRestarts: 100 };
  const last = decide({}, safe, limit);
  assert.deepEqual(last.next === "stop" && [last.failed, last.reason], [
    true,
    "in safe mode, too, it ended with exit code 1",
  ]);
  const again = decide({ cause: "hang", wasStable: true }, safe, limit);
  assert.equal(again.next === "restart" && again.history.safeMode, true);
});

test("without a limit it goes on after safe mode failed, too: out of it, at the longest delay [D3]", () => {
  const safe: History = { unhealthyAt: [0], streak: 2, safeMode: true };
  assert.deepEqual(decide({}, safe), {
    next: "restart",
    delayMs: 60_000,
    reason: "in safe mode, too, it ended with exit code 1",
    counted: true,
    history: { unhealthyAt: [], streak: 3, safeMode: false },
  });
  const eager = decide({}, safe, { backoffMs: 0 });
  assert.equal(eager.next === "restart" && eager.delayMs, 60_000);
});

test("an hour of crashes has no more starts than the delays allow, whatever the ends are [D3]", () => {
  const end = fc.record({
    exitCode: fc.constantFrom(1, 2, 75, 134),
    uptimeMs: fc.integer({ min: 0, max: 9000 }),
    cause: fc.constantFrom("exit" as const, "hang" as const),
  });
  fc.assert(
    fc.property(
      fc.infiniteStream(end),
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      (ends, randoms) => {
        let [now, starts, history] = [0, 0, noHistory];
        while (now < 3_600_000) {
          starts += 1;
          const next = { ...crash, ...ends.next().value };
          now += next.uptimeMs;
          const decision = decideNext(next, history, { settings, now, random: randoms.next().value });
          if (decision.next === "stop") break;
          now += decision.delayMs;
          ({ history } = decision);
        }
        // At least a second from start to start.
        return starts <= 3601;
      },
    ),
    { numRuns: count({ quick: 50, full: 2000 }) },
  );
});

test("a crash loop without a limit is tried once a minute for ever, every eleventh time or so in safe mode; with one it ends [D3]", () => {
  const run = (maxRestarts: number, hours: number) => {
    let [now, history, safeStarts] = [0, noHistory, 0];
    for (let starts = 1; ; starts++) {
      const decision = decideNext(crash, history, { settings: { ...settings, maxRestarts }, now, random: 0.5 });
      if (decision.next === "stop" || now > hours * 3_600_000) return { next: decision.next, starts, safeStarts };
      now += decision.delayMs + crash.uptimeMs;
      ({ history } = decision);
      if (history.safeMode) safeStarts += 1;
    }
  };
  const forEver = run(0, 10);
  assert.equal(forEver.next, "restart");
  assert.ok(forEver.starts > 590 && forEver.starts < 625, String(forEver.starts));
  assert.ok(forEver.safeStarts > 45 && forEver.safeStarts < 70, String(forEver.safeStarts));
  assert.deepEqual(run(100, 10), { next: "stop", starts: 11, safeStarts: 1 });
});

test("the first that is killed from outside while it is healthy is started again at once, however young; the next waits [D3]", () => {
  const killed = { exitCode: null, signal: "SIGKILL", wasHealthy: true, uptimeMs: 3000 } as const;
  const first = decide(killed);
  assert.deepEqual([first.next === "restart" && first.delayMs, first.counted], [0, true]);
  assert.equal(first.next === "restart" && first.history.streak, 1);
  const second = decide(killed, { ...noHistory, streak: 1 });
  assert.equal(second.next === "restart" && second.delayMs, 2000);
  for (const other of [{ wasHealthy: false }, { signal: "SIGSEGV" }, { signal: null, exitCode: 1 }] as const) {
    const decision = decide({ ...killed, ...other });
    assert.equal(decision.next === "restart" && decision.delayMs, 1000, JSON.stringify(other));
  }
});
