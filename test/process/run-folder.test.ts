import assert from "node:assert/strict";
import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { openRunFolder } from "../../src/process/run/run-folder.ts";
import { createProcesses } from "../../src/process/processes.ts";
import { rootLane } from "../support/require.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { inMode, openBench } from "./support.ts";

const open = (runFolder: string) => createProcesses({ runFolder, clock: systemClock, sandbox: "off" });

test("the run folder is made for us alone, and made private when it is not [G7]", async (t) => {
  const folder = await temporaryFolder(t);
  open(join(folder, "a/b/run"));
  assert.equal(statSync(join(folder, "a/b/run")).mode & 0o777, 0o700);
  mkdirSync(join(folder, "readable"), { mode: 0o755 });
  open(join(folder, "readable"));
  assert.equal(statSync(join(folder, "readable")).mode & 0o777, 0o700);
});

test("a run folder that others could have prepared is refused with the reason [G7]", async (t) => {
  const folder = await temporaryFolder(t);
  mkdirSync(join(folder, "real"));
  symlinkSync(join(folder, "real"), join(folder, "link"));
  mkdirSync(join(folder, "shared"));
  chmodSync(join(folder, "shared"), 0o777);
  writeFileSync(join(folder, "file"), "");
  const advice = "; remove it, or choose another with XDG_STATE_HOME.";
  const expected = "The run folder must be a private folder of ours, but ";
  const refusals: Record<string, string> = {
    link: "is a link",
    shared: "can be written by others",
    file: "is not a folder",
  };
  for (const [name, reason] of Object.entries(refusals)) {
    assert.throws(() => open(join(folder, name)), {
      code: "CONFIG_INVALID",
      message: `${expected}"${join(folder, name)}" ${reason}${advice}`,
    });
  }
});

test("a run folder of another user is refused [G7]", rootLane(), async (t) => {
  const folder = join(await temporaryFolder(t), "run");
  mkdirSync(folder);
  chownSync(folder, 12345, 12345);
  assert.throws(() => open(folder), { code: "CONFIG_INVALID", message: /belongs to another user/ });
});

test("a place that can't have folders is refused at once", { timeout: 10_000 }, () => {
  assert.throws(() => openRunFolder("/proc/nowhere/run"), { code: "CONFIG_INVALID", message: /can't be made/ });
});

test(
  "runtimes of one process that share a run folder have private folders of their own",
  inMode("require"),
  async (t) => {
    const runFolder = join(await temporaryFolder(t), "run");
    const [one, other] = [
      await openBench(t, { sandbox: "require", runFolder }),
      await openBench(t, { sandbox: "require", runFolder }),
    ];
    assert.equal((await one.run(["touch", "/tmp/mine"])).exitCode, 0);
    assert.equal((await other.run(["test", "-e", "/tmp/mine"])).exitCode, 1);
    await other.processes.close();
    assert.equal((await one.run(["test", "-e", "/tmp/mine"])).exitCode, 0);
  },
);
