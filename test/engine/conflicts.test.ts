import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createConflictTracker, type Touch } from "../../src/engine/conflicts.ts";
import { Step } from "../../src/engine/batch-node.ts";
import { count } from "../support/counts.ts";

const touch: fc.Arbitrary<Touch> = fc.record({
  segments: fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 }),
  access: fc.constantFrom("read", "read", "write"),
});

/** The rule, said plainly. */
function conflict(one: readonly Touch[], other: readonly Touch[]): boolean {
  return one.some((a) =>
    other.some((b) => {
      const [short, long] = a.segments.length < b.segments.length ? [a, b] : [b, a];
      const isAbove = short.segments.every((segment, at) => segment === long.segments[at]);
      return isAbove && (a.access === "write" || b.access === "write");
    }),
  );
}

test("a call is ready exactly when every earlier call it conflicts with is done, in any order of ends [P3]", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(touch, { maxLength: 3 }), { minLength: 1, maxLength: 14 }),
      fc.infiniteStream(fc.nat()),
      (calls, picks) => {
        const tracker = createConflictTracker();
        const steps = calls.map((touches) => {
          const step = new Step(() => undefined);
          tracker.add(step, touches);
          return step;
        });
        const finished = new Set<number>();
        while (finished.size < calls.length) {
          const ready: number[] = [];
          for (const [at, step] of steps.entries()) {
            if (finished.has(at)) continue;
            const blocked = calls.some(
              (touches, earlier) => earlier < at && !finished.has(earlier) && conflict(touches, calls[at]!),
            );
            assert.equal(step.ready, !blocked, `call ${at} with ${[...finished].join(" ")} finished`);
            if (step.ready) ready.push(at);
          }
          const [pick] = picks.take(1);
          const next = ready[pick! % ready.length]!;
          finished.add(next);
          steps[next]!.finish();
        }
      },
    ),
    { numRuns: count({ quick: 500, full: 20_000 }) },
  );
});

test("a call that ends before its turn opens the way for nobody while those before it run [P3 P8]", () => {
  const write: Touch[] = [{ segments: ["a"], access: "write" }];
  const tracker = createConflictTracker();
  const [first, second, third] = [0, 1, 2].map(() => {
    const step = new Step(() => undefined);
    tracker.add(step, write);
    return step;
  });
  second!.finish();
  assert.equal(second!.done, false);
  assert.equal(third!.ready, false);
  first!.finish();
  assert.equal(second!.done, true);
  assert.equal(third!.ready, true);
});

test("a chain of a hundred thousand waiting calls ends without a deep stack [P3]", () => {
  const tracker = createConflictTracker();
  const steps = Array.from({ length: 100_000 }, () => {
    const step = new Step(() => undefined);
    tracker.add(step, [{ segments: ["a"], access: "write" }]);
    return step;
  });
  for (const step of steps.slice(1)) step.finish();
  steps[0]!.finish();
  assert.ok(steps.every(({ done }) => done));
});

test("ten thousand readers and ten thousand writers are planned in time that grows with their number [P3]", () => {
  const began = performance.now();
  const tracker = createConflictTracker();
  for (let at = 0; at < 10_000; at++) tracker.add(new Step(() => undefined), [{ segments: [], access: "read" }]);
  for (let at = 0; at < 10_000; at++) {
    tracker.add(new Step(() => undefined), [{ segments: ["f", `${at}`], access: "write" }]);
  }
  assert.ok(performance.now() - began < 2000);
});
