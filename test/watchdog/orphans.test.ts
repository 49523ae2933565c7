import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { afterTest } from "../support/after-test.ts";
import { count } from "../support/counts.ts";
import { until } from "../support/runtime.ts";
import { fixture, isRunning, openWatchdogs, type TestWatchdog } from "./start-watchdog.ts";

/** Elsewhere the environment of other processes can't be read. */
const onLinux = { skip: existsSync("/proc/self/environ") ? false : "the environment of processes can't be read here" };
const waits = ["sh", fixture("waits.sh")];

test("a child that a killed watchdog left is ended by the next one before it starts its own [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const first = dogs.start(["sh", fixture("waits.sh")]);
  const { pid: orphan } = await first.event("child:started");
  first.child.kill("SIGKILL");
  await until("the watchdog is dead", () => !isRunning(first.pid));
  assert.equal(isRunning(Number(orphan)), true);
  const second = dogs.start(["sh", fixture("waits.sh")]);
  assert.equal((await second.event("orphan:ended"))["pid"], orphan);
  await second.event("child:started");
  assert.equal(isRunning(Number(orphan)), false);
});

test(
  "a watchdog that is killed as soon as its child runs leaves none that the next one does not find [D3]",
  onLinux,
  async (t) => {
    const dogs = await openWatchdogs(t);
    let unrecorded = 0;
    for (let round = 0; round < count({ quick: 3, full: 50 }); round++) {
      // The child itself does it, first of all.
      const first = dogs.start(["sh", "-c", 'kill -9 "$PPID"; echo $$ >own; exec sleep 600']);
      await first.ended;
      const orphan = await readPid(dogs, "own");
      if (dogs.status()["child"] === null) unrecorded += 1;
      const second = dogs.start(waits);
      assert.equal((await second.event("orphan:ended"))["pid"], orphan);
      const { pid } = await second.event("child:started");
      assert.deepEqual([isRunning(orphan), isRunning(Number(pid))], [false, true]);
      second.child.kill("SIGTERM");
      await second.ended;
      writeFileSync(join(dogs.machine.workdir, "own"), "");
    }
    t.diagnostic(`${unrecorded} of them were not on record`);
  },
);

test(
  "a child that was not on record yet is ended, and what it started in a session of its own goes on [D3]",
  onLinux,
  async (t) => {
    const dogs = await openWatchdogs(t);
    const first = dogs.start(["sh", "-c", "setsid sleep 600 & echo $! >own; wait"]);
    const { pid: child } = await first.event("child:started");
    const own = await readPid(dogs, "own");
    afterTest(t, () => Promise.resolve(process.kill(own, "SIGKILL")));
    first.child.kill("SIGKILL");
    await first.ended;
    // As it is right before the child is written down.
    const [, mark] = /(?:^|\0)DECKHAND_WATCHDOG_START=([^\0]+)/.exec(
      readFileSync(`/proc/${String(child)}/environ`, "utf8"),
    )!;
    const status = { ...dogs.status(), state: "waiting", child: null, start_mark: mark };
    writeFileSync(join(dogs.stateFolder(), "status.json"), JSON.stringify(status));

    const second = dogs.start(waits);
    assert.equal((await second.event("orphan:ended"))["pid"], child);
    await second.event("child:started");
    assert.deepEqual([isRunning(Number(child)), isRunning(own)], [false, true]);
    second.child.kill("SIGKILL");
    await second.ended;

    // On record now, and the mark of the first start is not: nobody looks for it any more.
    const third = dogs.start(waits);
    await third.event("child:started");
    assert.equal(third.events().filter(({ type }) => type === "orphan:ended").length, 1);
    assert.equal(isRunning(own), true);
  },
);

function readPid({ machine }: TestWatchdog, name: string): Promise<number> {
  const path = join(machine.workdir, name);
  return until("a pid", () => Number(readFileSync(path, { encoding: "utf8", flag: "a+" })) || undefined, 60_000);
}
