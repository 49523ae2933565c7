import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  addCall,
  type CallWindow,
  createCallWindow,
  figuresOf,
  parseCallWindow,
} from "../../../src/tool-files/rollout/metrics/call-window.ts";
import { count } from "../../support/counts.ts";
import { assertSound, drawCall, minute, ok, start } from "./counted-calls.ts";
import { createRandom } from "./simulator/random.ts";

test("a damaged window is a fresh one [V3]", () => {
  const { minutes, ...rest } = filled();
  const last = minutes.slice(minutes.lastIndexOf(";") + 1);
  const damaged: readonly unknown[] = [
    undefined,
    null,
    7,
    "window",
    [],
    {},
    { ...rest, minutes: null },
    { ...rest, minutes, v: 2 },
    { ...rest, minutes, calls: `${rest.calls}A` },
    { ...rest, minutes, calls: "A".repeat(303) },
    { ...rest, minutes, calls: "!!!" },
    { ...rest, minutes: `${minutes};${last}` },
    { ...rest, minutes: `${last};` },
    { ...rest, minutes: `${last};;${last}` },
    { ...rest, minutes: ";" },
    { ...rest, minutes: "x 1 A" },
    { ...rest, minutes: "7 1 A7" },
    { ...rest, minutes: "7 1" },
    { ...rest, minutes: "7 -1 A" },
    { ...rest, minutes: "7  A" },
    { ...rest, minutes: "7 1,1,1,1,1,1,1,1,1,1,1 A" },
    { ...rest, minutes: "7 1 zzzzzzA" },
  ];
  for (const value of damaged) assert.deepEqual(parseCallWindow(value), createCallWindow(), JSON.stringify(value));
});

test("a minute that can't have been is left out [V3]", () => {
  const now = Math.floor(start / minute);
  for (const counts of ["2,3", "2,1,2", "2,0,0,3", "2,0,0,0,3", "2,0,0,0,1,2", "2,0,0,0,0,0,0,0,0,1"]) {
    const minutes = `${now - 1} 4,1 4D;${now} ${counts} 4B`;
    const window = parseCallWindow({ v: 1, calls: "", minutes });
    assert.equal(window.minutes, minutes);
    const { calls, errorRate } = figuresOf(window, start).lastMinutes;
    assert.deepEqual({ calls, errorRate }, { calls: 4, errorRate: 0.25 }, counts);
  }
});

test("minutes of another time in a stored window go when the next one comes [V3]", () => {
  const now = Math.floor(start / minute);
  const window = parseCallWindow({ v: 1, calls: "", minutes: `999999999999 1 A;7 1 A;${now - 1} 1 A` });
  addCall(window, ok({}));
  assert.equal(window.minutes, `${now - 1} 1 A;${now} 1 58A`);
});

test("whatever single characters of a stored window are damaged, what is read is sound [V3]", () => {
  const stored = JSON.stringify(filled());
  const characters = fc.constantFrom(..."0 1 5 9 a z A Z , - [ ] _ \" ' é".split(" "));
  fc.assert(
    fc.property(fc.nat(stored.length - 1), characters, (index, character) => {
      let value: unknown;
      try {
        value = JSON.parse(stored.slice(0, index) + character + stored.slice(index + 1));
      } catch {
        return; // The store gives undefined then.
      }
      const window = parseCallWindow(value);
      assertSound(window, start);
      addCall(window, ok({}));
      assertSound(window, start);
    }),
    { numRuns: count({ quick: 500, full: 20_000 }) },
  );
});

test("reading a stored window copies it: counting does not change what was stored [V3]", () => {
  const stored = filled();
  const before = JSON.stringify(stored);
  addCall(parseCallWindow(stored), ok({ at: start + 39 * minute }));
  assert.equal(JSON.stringify(stored), before);
});

function filled(): CallWindow {
  const window = createCallWindow();
  const random = createRandom(9);
  for (let index = 0; index < 400; index++) addCall(window, drawCall(random, start + (index * minute) / 10));
  return window;
}
