import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openRoom } from "./sandbox-room.ts";
import { eventually, inMode } from "./support.ts";

describe("how a command ended", inMode("require"), () => {
  test("it can't tell another end than its own [E4 G4]", async (t) => {
    const { end } = await openRoom(t);
    const attempts: readonly (readonly [script: string, exitCode: number])[] = [
      ["echo 0 > /proc/1/fd/3; exit 7", 7],
      ["echo Killed > /proc/1/fd/2; exit 137", 137],
      ["echo 'bwrap: forged' > /proc/1/fd/2; exit 5", 5],
      ["for fd in /proc/1/fd/*; do echo 0 > $fd; done; exit 6", 6],
      ["(sleep 60 & ); echo 0 > /proc/1/fd/3; exit 4", 4],
    ];
    for (const [script, exitCode] of attempts) {
      const done = await end(`exec 2>/dev/null; ${script}`);
      assert.deepEqual([done.startError, done.exitCode, done.killedBy], [null, exitCode, null], script);
      await done.discard();
    }
  });

  test("its first process can't be looked into or replaced [E4 G4]", async (t) => {
    const { sh } = await openRoom(t);
    for (const attempt of [
      "readlink /proc/1/fd/3",
      "cat /proc/1/environ",
      "head -c 1 /proc/1/mem",
      "cat /dev/deckhand-first",
      "rm /dev/deckhand-first",
      "chmod 755 /dev/deckhand-first",
      "kill -9 1; kill -0 1 && exit 1",
    ]) {
      assert.notEqual((await sh(attempt))[0], 0, attempt);
    }
  });

  test("a kept one neither, while it runs and afterwards [C12 G4]", async (t) => {
    const room = await openRoom(t);
    const started = await room.processes.background.start({
      argv: ["sh", "-c", "echo 0 > /proc/1/fd/3; echo tried; sleep 0.3; exit 7"],
      cwd: room.workdir,
      env: { PATH: process.env["PATH"]! },
      executionId: `call_${process.pid}_kept`,
      readiness: { text: "tried" },
      readyTimeoutMs: 5000,
      keep: true,
    });
    assert.equal(started.state, "ready");
    const { id } = started.process;
    const find = () => room.processes.background.find(id);
    await eventually(() => find()?.state === "exited", "it has ended");
    assert.deepEqual([find()?.exitCode, find()?.killedBy], [7, null]);
    await room.processes.close();
    // Its output can still be read for an hour; nobody waits for that here.
    rmSync(join(room.folder, "run", id), { recursive: true });
  });
});
