import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { CommandEnd } from "../../src/process/run/run-request.ts";
import { count } from "../support/counts.ts";
import { commandsWith, eventually, fixture, inMode, modes, openBench, pause, sizesIn } from "./support.ts";
import type { Bench } from "./support.ts";

/** The beats that must be heard before the stop, so that all of the shape is there. */
const shapes: Record<string, readonly string[]> = {
  "plain-tree": ["child", "grandchild"],
  "ignores-term": ["child", "self"],
  ampersand: ["one", "two"],
  nohup: ["child"],
  setsid: ["child"],
  "double-fork": ["grandchild"],
  "setsid-parent-gone": ["child"],
  "holds-stdout": ["child"],
  stopped: ["child", "stopped"],
  "fork-loop": ["child"],
  "keeps-moving": ["moves"],
};

const repeats = count({ quick: 5, full: 100 });
/** So many at once: they must not get into each other's way either. */
const together = 5;

for (const mode of modes) {
  describe(`sandbox ${mode}`, inMode(mode), () => {
    for (const [shape, beats] of Object.entries(shapes)) {
      test(`${shape}: nothing is alive after a cancel [E4]`, async (t) => {
        const bench = await openBench(t, { sandbox: mode });
        await stopManyTimes(bench, shape, { beats, proof: mode === "off" ? "marker" : "namespace" });
      });
    }
  });
}

test(
  "a double fork that clears its environment and redirects its output dies with its namespace [E4]",
  inMode("require"),
  async (t) => {
    const bench = await openBench(t, { sandbox: "require" });
    await stopManyTimes(bench, "escapes", { beats: ["child"], proof: "namespace" });
  },
);

interface Expected {
  readonly beats: readonly string[];
  readonly proof: string;
}

async function stopManyTimes(bench: Bench, shape: string, expected: Expected): Promise<void> {
  for (let done = 0; done < repeats; done += together) {
    const group = Array.from({ length: Math.min(together, repeats - done) }, (_, index) => done + index);
    await Promise.all(group.map((number) => stopOnce(bench, shape, { ...expected, number })));
  }
}

async function stopOnce(bench: Bench, shape: string, expected: Expected & { number: number }): Promise<void> {
  const folder = join(bench.folder, `${shape}-${expected.number}`);
  mkdirSync(folder);
  const controller = new AbortController();
  const ended = bench.run(["sh", fixture(`stop/${shape}.sh`), folder], { signal: controller.signal });
  const heard = (): boolean => expected.beats.every((beat) => beat in sizesIn(folder));
  await Promise.race([
    eventually(heard, `${shape} beats`),
    ended.then((end) => assert.fail(`it ended: ${describeEnd(end)}`)),
  ]);

  controller.abort();
  const end = await ended;
  assert.deepEqual(commandsWith(folder), [], `${shape}: alive after it was reported as stopped`);
  const sizes = sizesIn(folder);
  await pause(120); // more than two beats
  assert.deepEqual(sizesIn(folder), sizes, `${shape}: still beating`);
  assert.equal(end.stoppedBy, "signal");
  assert.deepEqual(end.stop?.survivors, []);
  assert.equal(end.stop?.proof, expected.proof);
  await end.discard();
}

function describeEnd(end: CommandEnd): string {
  return JSON.stringify({ exitCode: end.exitCode, killedBy: end.killedBy, startError: end.startError });
}
