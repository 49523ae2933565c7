import assert from "node:assert/strict";
import { readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { lane } from "../support/require.ts";
import { mountTmpfs, remount, tmpfsAvailable } from "../support/tmpfs.ts";
import { built, openMachine, type Machine } from "../cli/run-deckhand.ts";

/** A machine whose workdir is a disk of its own. */
async function openDisk(t: TestContext, size: string): Promise<Machine> {
  const machine = await openMachine(t);
  const disk = mountTmpfs(t, size);
  return {
    ...machine,
    workdir: disk,
    run: (args, options) => machine.run(args, { ...options, cwd: disk }),
    start: (args, options) => machine.start(args, { ...options, cwd: disk }),
  };
}

/** Leaves less than this free. */
function fill(folder: string, leaveBytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(join(folder, "filler"), Buffer.alloc(Math.max(0, bavail * bsize - leaveBytes)));
}

describe("a disk that is full or read-only", lane("tmpfs", tmpfsAvailable()), () => {
  test("a file that does not fit is not half-written, and the one before stays [C1]", async (t) => {
    const disk = await openDisk(t, "4m");
    writeFileSync(join(disk.workdir, "kept.txt"), "before");
    await disk.run(["tool", "list_files"]);
    fill(disk.workdir, 1_000_000);
    const input = JSON.stringify({ file_path: "kept.txt", content: "x".repeat(3_000_000) });
    const { code, stderr } = await disk.run(["tool", "write", "-"], { stdin: input });
    assert.match(stderr, /^deckhand: kept\.txt was left as it was: the disk or the quota is full\.\n.*Free some space/);
    assert.equal(code, 1);
    assert.equal(readFileSync(join(disk.workdir, "kept.txt"), "utf8"), "before");
    assert.deepEqual((await readdir(disk.workdir)).sort(), [".deckhand", "filler", "kept.txt"]);
    const [call] = JSON.parse((await disk.run(["calls", "--json"])).stdout);
    assert.deepEqual([call.tool_id, call.state, call.error_type], ["write", "failed", "disk_full"]);
  });

  test("what can't be recorded because the disk is full is not run", async (t) => {
    const disk = await openDisk(t, "2m");
    writeFileSync(join(disk.workdir, "a.txt"), "one");
    await disk.run(["tool", "list_files"]);
    fill(disk.workdir, 0);
    const write = await disk.run(["tool", "write", '{"file_path":"b.txt","content":"x"}']);
    assert.equal(write.code, 1);
    assert.match(write.stderr, /^deckhand: Not run: it could not be recorded\. .*full.*\n/m);
    const read = await disk.run(["tool", "read", '{"file_path":"a.txt"}']);
    assert.deepEqual({ code: read.code, stdout: read.stdout }, { code: 0, stdout: "1\tone\n" });
    assert.match(read.stderr, /full/);
    assert.doesNotMatch(read.stderr + write.stderr, /\n\s+at /);
    assert.equal((await readdir(disk.workdir)).includes("b.txt"), false);
  });

  test("a log whose disk was full is whole afterwards, and nobody is said to have forged it [D4]", async (t) => {
    const disk = await openDisk(t, "4m");
    writeFileSync(join(disk.workdir, "a.txt"), "one");
    await disk.run(["tool", "list_files"]);
    // What is left is enough for a line of the log, or for the files that the store needs to be opened, or for neither.
    for (let leaveKilobytes = 36; leaveKilobytes <= 56; leaveKilobytes += 4) {
      fill(disk.workdir, leaveKilobytes * 1024);
      await disk.run(["tool", "bash", '{"command":"echo x"}'], { program: built });
      const read = await disk.run(["tool", "read", '{"file_path":"a.txt"}'], { program: built });
      assert.equal(read.code, 0, read.stderr);
      rmSync(join(disk.workdir, "filler"));
      const verified = await disk.run(["log", "verify", "--json"], { program: built });
      assert.deepEqual([verified.code, JSON.parse(verified.stdout).problems], [0, []], `${leaveKilobytes} kB left`);
    }
    const after = await disk.run(["tool", "bash", '{"command":"echo x"}']);
    assert.equal(after.code, 0, after.stderr);
    assert.equal((await disk.run(["log", "verify"])).code, 0);
  });

  test("a store on a read-only disk warns, lets read and refuses to change", async (t) => {
    const disk = await openDisk(t, "4m");
    writeFileSync(join(disk.workdir, "a.txt"), "one");
    await disk.run(["tool", "list_files"]);
    remount(disk.workdir, "ro");
    const read = await disk.run(["tool", "read", '{"file_path":"a.txt"}']);
    assert.deepEqual({ code: read.code, stdout: read.stdout }, { code: 0, stdout: "1\tone\n" });
    assert.match(read.stderr, /^deckhand: warning: The store .+ can't be written: .+\.\n$/);
    const write = await disk.run(["tool", "bash", '{"command":"touch x"}']);
    assert.equal(write.code, 1);
    assert.match(write.stderr, /^deckhand: Not run: it could not be recorded\. The store .+\n/m);
    const calls = await disk.run(["calls"]);
    assert.equal(calls.code, 1);
  });
});
