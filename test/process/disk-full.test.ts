import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { afterTest } from "../support/after-test.ts";
import { lane } from "../support/require.ts";
import { mountTmpfs, tmpfsAvailable } from "../support/tmpfs.ts";
import { commandsWith, eventually, inMode, modes, openBench, runsIn } from "./support.ts";

describe("on a disk that is full", lane("tmpfs", tmpfsAvailable()), () => {
  test(
    "a start that fails half way leaves no process and no folder, and the next one works [E4]",
    inMode("require"),
    async (t) => {
      for (const warm of [false, true]) {
        const disk = mountTmpfs(t, "1m");
        const runFolder = join(disk, "run");
        const { run, processes } = await openBench(t, { sandbox: "require", runFolder });
        const script = `true # ${disk}`;
        if (warm) assert.equal((await processes.sandbox()).kind, "bwrap");
        fill(disk);
        const end = await run(["sh", "-c", script]);
        assert.ok(end.startError, "there is no room for its record");
        assert.equal(end.startError.code, "ENOSPC");
        assert.deepEqual(runsIn(runFolder), []);
        const left = (): string[] => [...commandsWith("sh -c exit 7"), ...commandsWith(disk)];
        await eventually(() => left().length === 0, "nothing is left");

        rmSync(join(disk, "fill"));
        const next = await run(["sh", "-c", script]);
        assert.deepEqual([next.startError, next.exitCode, next.diskFull], [null, 0, false]);
        await next.discard();
      }
    },
  );

  for (const mode of modes) {
    test(`a command that finds no room for its output says so, sandbox ${mode} [C1]`, inMode(mode), async (t) => {
      const disk = mountTmpfs(t, "1m");
      const { run } = await openBench(t, { sandbox: mode, runFolder: join(disk, "run") });
      const end = await run(["bash", "-c", "head -c 3000000 /dev/zero"]);
      assert.deepEqual([end.exitCode, end.diskFull, end.startError], [0, true, null]);
      assert.ok(end.stdout.bytes < 1_048_576);
      assert.equal(end.stdout.bytes + end.stdout.lostBytes, 3_000_000);
      await end.discard();
      const fine = await run(["bash", "-c", "echo fine"]);
      assert.deepEqual([fine.exitCode, fine.diskFull], [0, false]);
      await fine.discard();
    });
  }

  test("a detached program that ends there leaves its exit status all the same [T6]", async (t) => {
    const disk = mountTmpfs(t, "1m");
    const { processes, folder } = await openBench(t);
    const { detached } = processes;
    const place = join(disk, "task");
    const go = join(folder, "go");
    mkdirSync(place);
    afterTest(t, () => detached.stop(place, 0));
    const start = await detached.start({
      argv: ["/bin/sh", "-c", `until [ -e "${go}" ]; do sleep 0.02; done; exit 7`],
      cwd: folder,
      env: { PATH: process.env["PATH"]! },
      executionId: "task_1",
      folder: place,
      stdinPath: null,
      limitMs: 60_000,
      graceMs: 1000,
    });
    assert.ok(start.ok);
    await eventually(() => detached.look(place).state === "running", "it runs");
    await eventually(() => existsSync(join(place, "guard")), "its shim has begun");
    fill(disk);
    writeFileSync(go, "");
    await start.gone;
    assert.deepEqual(detached.look(place), {
      state: "ended",
      process: start.process,
      exit: { exitCode: 7, killedBy: null, timedOut: false },
    });
  });

  test("a bwrap that fails after it has started its child takes that along [E4]", inMode("require"), async (t) => {
    const disk = mountTmpfs(t, "1m");
    mkdirSync(join(disk, "run"), { mode: 0o700 });
    const { run, processes } = await openBench(t, { sandbox: "require", runFolder: join(disk, "run") });
    await processes.sandbox();
    // Room for the record, which is written twice, and for nothing that bwrap has to tell.
    for (const pages of [1, 2, 3, 4]) {
      fill(disk, pages);
      const end = await run(["sleep", "0.01"], { executionId: `call_${pages}` });
      await end.discard();
      assert.deepEqual(commandsWith("sleep 0.01"), [], `with ${pages} pages of room`);
    }
  });
});

/** Leaves so many pages free. */
function fill(disk: string, pages = 0): void {
  const [path, room] = [join(disk, "fill"), join(disk, "room")];
  rmSync(path, { force: true });
  writeFileSync(room, Buffer.alloc(pages * 4096));
  // What fits is written.
  assert.throws(() => writeFileSync(path, Buffer.alloc(2_000_000)), { code: "ENOSPC" });
  rmSync(room);
}
