import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { createProcesses } from "../../src/process/processes.ts";
import { count } from "../support/counts.ts";
import { commandsWith, eventually, fixture, inMode, openBench, sizesIn } from "./support.ts";
import { lane } from "../support/require.ts";

interface Runtime {
  readonly child: ChildProcess;
  readonly beats: string;
  killHard(): Promise<void>;
}

/** Another runtime on the same run folder, in the middle of the shape. */
async function startRuntime(
  folder: string,
  options: { sandbox: string; kind: string; shape: string; beat: string },
): Promise<Runtime> {
  const beats = join(folder, `beats-${Math.random().toString(36).slice(2)}`);
  mkdirSync(beats);
  const script = [join(folder, "run"), options.sandbox, options.kind, "sh", fixture(`stop/${options.shape}.sh`), beats];
  const child = spawn(process.execPath, [fixture("process/runtime.ts"), ...script], { stdio: "inherit" });
  await eventually(() => options.beat in sizesIn(beats), `${options.shape} beats`);
  return {
    child,
    beats,
    async killHard() {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

for (const shape of ["plain-tree", "ignores-term", "double-fork", "holds-stdout"]) {
  const beat = shape === "double-fork" ? "grandchild" : "child";

  test(`${shape}: what a killed runtime left is ended by the next one [E4]`, async (t) => {
    const { folder, processes } = await openBench(t);
    for (let round = 0; round < count({ quick: 1, full: 25 }); round++) {
      const runtime = await startRuntime(folder, { sandbox: "off", kind: "command", shape, beat });
      assert.deepEqual(await processes.reapAbandoned(), [], "its owner is alive");
      await runtime.killHard();
      assert.notDeepEqual(commandsWith(runtime.beats), []);

      const [reaped, ...more] = await processes.reapAbandoned();
      assert.deepEqual(commandsWith(runtime.beats), []);
      assert.deepEqual(more, []);
      assert.equal(reaped?.executionId, "call_lost");
      assert.equal(reaped.stop.proof, "marker");
      assert.ok(reaped.stop.killed.length > 0);
      assert.deepEqual(reaped.stop.survivors, []);
      assert.deepEqual(readdirSync(join(folder, "run")), []);
      assert.deepEqual(await processes.reapAbandoned(), []);
    }
  });

  test(`${shape}: inside a namespace all of it dies with the runtime at once [E4]`, inMode("require"), async (t) => {
    const { folder, processes } = await openBench(t);
    const runtime = await startRuntime(folder, { sandbox: "require", kind: "command", shape, beat });
    assert.ok(existsSync(join(folder, "protected")), "the mask of a missing name");
    await runtime.killHard();
    await eventually(() => commandsWith(runtime.beats).length === 0, "everything is dead", 1000);
    const reaped = await processes.reapAbandoned();
    assert.deepEqual(
      reaped.map(({ executionId, stop }) => ({ executionId, survivors: stop.survivors })),
      [{ executionId: "call_lost", survivors: [] }],
    );
    assert.equal(existsSync(join(folder, "protected")), false, "nothing of the sandbox is left in the workdir");
    assert.deepEqual(readdirSync(join(folder, "run")), []);
  });
}

test("a runtime that ends without closing takes its commands along [E4]", async (t) => {
  const { folder, processes } = await openBench(t);
  const options = { sandbox: "off", kind: "leave", shape: "nohup", beat: "child" };
  const runtime = await startRuntime(folder, options);
  if (runtime.child.exitCode === null) await once(runtime.child, "exit");
  assert.equal(runtime.child.exitCode, 3);
  await eventually(() => commandsWith(runtime.beats).length === 0, "everything is dead", 1000);
  assert.equal((await processes.reapAbandoned()).length, 1);
});

test("two runtimes that reap at once reap each folder once [E4]", async (t) => {
  const { folder, processes } = await openBench(t);
  const second = createProcesses({ runFolder: join(folder, "run"), clock: systemClock, sandbox: "off", graceMs: 200 });
  const runtime = await startRuntime(folder, { sandbox: "off", kind: "command", shape: "ignores-term", beat: "child" });
  await runtime.killHard();
  const [first, other] = await Promise.all([processes.reapAbandoned(), second.reapAbandoned()]);
  assert.equal(first.length + other.length, 1);
  assert.deepEqual(commandsWith(runtime.beats), []);
  await second.close();
});

test("a folder that was taken by a reaper that died is taken again [E4]", async (t) => {
  const { folder, processes } = await openBench(t);
  const runtime = await startRuntime(folder, { sandbox: "off", kind: "command", shape: "setsid", beat: "child" });
  await runtime.killHard();
  renameSync(join(folder, "run", "call_lost"), join(folder, "run", "reaping,4194000,1,call_lost"));
  const reaped = await processes.reapAbandoned();
  assert.deepEqual(
    reaped.map(({ executionId }) => executionId),
    ["call_lost"],
  );
  assert.deepEqual(commandsWith(runtime.beats), []);
});

test("a folder without a record is left to its maker for a minute [E4]", async (t) => {
  const { folder, processes } = await openBench(t);
  const fresh = join(folder, "run", "call_fresh");
  const old = join(folder, "run", "call_old");
  for (const each of [fresh, old]) mkdirSync(each);
  writeFileSync(join(old, "process.json"), "{ torn");
  const before = new Date(Date.now() - 2 * 60_000);
  utimesSync(old, before, before);
  const reaped = await processes.reapAbandoned();
  assert.deepEqual(
    reaped.map(({ executionId }) => executionId),
    ["call_old"],
  );
  assert.deepEqual(readdirSync(join(folder, "run")), ["call_fresh"]);
  utimesSync(fresh, before, before);
  await processes.reapAbandoned();
});

test("a process that got the number of a dead one is not touched [E4]", async (t) => {
  const { folder, processes } = await openBench(t);
  const bystander = spawn("sleep", ["300"], { detached: true, stdio: "ignore" });
  t.after(() => void bystander.kill("SIGKILL"));
  const run = join(folder, "run", "call_reused");
  mkdirSync(run);
  const { bootId } = processes.identity;
  const dead = { pid: 4_194_000, start_time: "1", boot_id: bootId };
  const record = {
    kind: "command",
    execution_id: "call_reused",
    owner: dead,
    child: { pid: bystander.pid, start_time: "1", boot_id: bootId },
  };
  writeFileSync(join(run, "process.json"), JSON.stringify(record));
  const [reaped] = await processes.reapAbandoned();
  assert.deepEqual(reaped?.stop, { proof: "marker", killed: [], survivors: [] });
  assert.equal(bystander.exitCode ?? bystander.signalCode, null);
});

test(
  "a runtime in another PID namespace counts as alive until that namespace is gone [E4]",
  seesAllNamespaces() ? inMode("require") : lane("host", "this is not the first PID namespace of the machine"),
  async (t) => {
    const { folder, processes } = await openBench(t);
    const run = join(folder, "run", "call_elsewhere");
    const script = ["sh", "-c", "echo up; exec sleep 300"];
    const bwrap = ["--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "--die-with-parent", ...script];
    const inside = spawn("bwrap", bwrap, { stdio: ["ignore", "pipe", "ignore"] });
    t.after(() => void inside.kill("SIGKILL"));
    await once(inside.stdout, "data");
    const boot = processes.identity.bootId.split("/")[0];
    const owner = { pid: 2, start_time: "1", boot_id: `${boot}/${namespaceUnder(inside.pid!)}` };
    mkdirSync(run);
    writeFileSync(
      join(run, "process.json"),
      JSON.stringify({ kind: "command", execution_id: "call_elsewhere", owner, child: null }),
    );
    assert.deepEqual(await processes.reapAbandoned(), []);
    const gone = once(inside, "exit");
    inside.kill("SIGKILL");
    await gone;
    await eventually(
      () => !processes.isAlive({ pid: 2, startTime: "1", bootId: owner.boot_id }),
      "the namespace is gone",
    );
    const reaped = await processes.reapAbandoned();
    assert.deepEqual(
      reaped.map(({ executionId }) => executionId),
      ["call_elsewhere"],
    );
  },
);

/** Only from the first namespace of a machine all others can be seen. */
function seesAllNamespaces(): boolean {
  return process.platform === "linux" && readlinkSync("/proc/self/ns/pid") === "pid:[4026531836]";
}

/** The PID namespace that the children of bwrap live in. */
function namespaceUnder(pid: number): string | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  const [namespace] = children.map((child) => readlinkSync(`/proc/${child}/ns/pid`).replaceAll(/\D/g, ""));
  return namespace;
}
