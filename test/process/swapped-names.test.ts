import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeMasks, removeTraces } from "../../src/process/sandbox/masks.ts";
import { openProcessTable } from "../../src/process/stop/process-table.ts";
import { count } from "../support/counts.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openRoom } from "./sandbox-room.ts";
import type { Room } from "./sandbox-room.ts";
import { eventually, inMode } from "./support.ts";

describe("names that commands swap", inMode("require"), () => {
  const readOnly = [".git/hooks", ".git/config"];

  /** Runs until `go` is there. */
  async function startLong(room: Room, script: string): Promise<() => Promise<void>> {
    const running = room.end(`${script}\n: > up; until [ -e go ]; do sleep 0.02; done`);
    await eventually(() => existsSync(join(room.workdir, "up")), "the long command runs");
    return async () => {
      writeFileSync(join(room.workdir, "go"), "");
      const end = await running;
      await end.discard();
    };
  }

  test("a folder that is swapped for a link while a command starts leads nobody out [G1 G4]", async (t) => {
    const room = await openRoom(t, { readOnly });
    const victim = join(room.workdir, "../victim");
    mkdirSync(victim);
    const swap = `const { renameSync: move } = require("node:fs");
      for (;;) { move(".git", "G"); move("L", ".git"); move(".git", "L"); move("G", ".git"); }`;
    writeFileSync(join(room.workdir, "swap.cjs"), swap);
    const node = JSON.stringify(process.execPath);
    const stop = await startLong(room, `mkdir .git; ln -s ../victim L; (${node} swap.cjs || kill 0) &`);
    for (let turn = 0; turn < count({ quick: 40, full: 400 }); turn += 1) {
      const end = await room.end(`echo x > '${victim}/x'; mkdir '${victim}/y'; grep victim /proc/self/mountinfo`);
      assert.deepEqual([end.startError, end.exitCode], [null, 1]);
      await end.discard();
    }
    assert.deepEqual(readdirSync(victim), []);
    await stop();
    assert.deepEqual(readdirSync(victim), []);
  });

  test("a folder above one that can be written can't be swapped, nor is one mounted below one that can [G1 G4]", async (t) => {
    const room = await openRoom(t);
    mkdirSync(join(room.workdir, "a/b"), { recursive: true });
    const stop = await startLong(room, "");
    room.view = { ...room.view, writable: [...room.view.writable, join(room.workdir, "a/b")] };
    const mounted = "grep -c ' [^ ]*/a/b ' /proc/self/mountinfo";
    assert.deepEqual((await room.sh(mounted))[1], "0\n", "the command that runs could put a link in the place of a");
    await stop();
    assert.deepEqual((await room.sh(mounted))[1], "1\n");
    assert.notEqual((await room.sh("mv a G"))[0], 0);
    assert.equal((await room.sh("echo x > a/b/file"))[0], 0);
  });

  test("a name that came up after a running command began is free until that one has ended [G1]", async (t) => {
    const room = await openRoom(t, { readOnly });
    const stop = await startLong(room, "");
    mkdirSync(join(room.workdir, ".git/hooks"), { recursive: true });
    assert.equal((await room.sh("echo x > .git/hooks/a && mkdir .git/config && rmdir .git/config"))[0], 0);
    await stop();
    assert.notEqual((await room.sh("echo x > .git/hooks/b"))[0], 0);
    assert.notEqual((await room.sh("mkdir .git/config"))[0], 0);
    assert.deepEqual(readdirSync(join(room.workdir, ".git/hooks")), ["a"]);
  });

  test("one that was there before stays protected beside a running command [G1]", async (t) => {
    const room = await openRoom(t, { readOnly });
    mkdirSync(join(room.workdir, ".git/hooks"), { recursive: true });
    const stop = await startLong(room, "mv .git G");
    assert.notEqual((await room.sh("echo x > .git/hooks/b"))[0], 0);
    assert.notEqual((await room.sh("mkdir .git/config"))[0], 0);
    await stop();
    assert.deepEqual(readdirSync(join(room.workdir, ".git")), ["hooks"]);
  });

  test("a link in the place of a writable folder that was missing opens nothing [G1 G4]", async (t) => {
    const room = await openRoom(t);
    const outside = join(room.workdir, "../outside");
    mkdirSync(outside);
    room.view = { ...room.view, writable: ["build", "deep/er"].map((name) => join(room.workdir, name)) };
    await room.sh("ln -s ../outside build; mkdir -p ../outside/er; ln -s ../outside deep");
    mkdirSync(join(outside, "er"));
    assert.notEqual((await room.sh("echo x > build/x"))[0], 0);
    assert.notEqual((await room.sh("echo x > deep/er/x"))[0], 0);
    assert.deepEqual([readdirSync(outside), readdirSync(join(outside, "er"))], [["er"], []]);
  });

  test("a workdir that was replaced by a link runs nothing [G1 G4]", async (t) => {
    const room = await openRoom(t);
    await room.sh("true");
    renameSync(room.workdir, `${room.workdir}-moved`);
    symlinkSync(join(room.workdir, ".."), room.workdir);
    const end = await room.end("echo x > x");
    assert.equal(end.startError?.code, "SANDBOX_UNAVAILABLE");
    assert.match(end.startError.message, /^The sandbox could not be prepared: the workdir .* leads to .* by now\.$/);
  });

  test("masks are neither made nor removed through a link [G1]", async (t) => {
    const place = await temporaryFolder(t);
    for (const name of ["victim/empty", "run"]) mkdirSync(join(place, name), { recursive: true });
    writeFileSync(join(place, "victim/commondir"), "theirs");
    symlinkSync("victim", join(place, "link"));
    assert.deepEqual(makeMasks([join(place, "link/hooks"), join(place, "link")]), []);
    const traces = { masks: [join(place, "link/empty")], swept: [join(place, "link/commondir")] };
    const registry = { table: openProcessTable(process.platform), runFolder: join(place, "run") };
    removeTraces(registry, { name: "call_1", traces });
    assert.deepEqual(readdirSync(join(place, "victim")).sort(), ["commondir", "empty"]);
    assert.deepEqual(makeMasks([join(place, "victim/hooks")]), [join(place, "victim/hooks")]);
  });
});
