import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { idsBetween } from "../../src/process/stop/linux-process-table.ts";
import { findVictims, runsInside } from "../../src/process/stop/processes-to-kill.ts";
import { identify, isAlive } from "../../src/process/stop/process-identity-check.ts";
import { openProcessTable } from "../../src/process/stop/process-table.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { eventually, inMode } from "./support.ts";

const table = openProcessTable(process.platform);
const onLinux = { skip: process.platform !== "linux" && "needs /proc" };

test("a process is itself, and not the next one with its number [E4]", async () => {
  const child = spawn("sleep", ["300"], { stdio: "ignore" });
  const identity = identify(table, child.pid!)!;
  assert.equal(isAlive(table, identity), true);
  assert.equal(isAlive(table, { ...identity, startTime: "1" }), false);
  assert.equal(isAlive(table, { ...identity, bootId: "another boot" }), false);
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
  assert.equal(isAlive(table, identity), false);
});

test("a zombie is not alive [E4]", onLinux, async (t) => {
  // The shell starts a child and becomes a program that never waits for it.
  const parent = spawn("sh", ["-c", "sleep 0.2 & echo $!; exec sleep 300"], { stdio: ["ignore", "pipe", "ignore"] });
  t.after(() => void parent.kill("SIGKILL"));
  const [line] = (await once(parent.stdout, "data")) as [Buffer];
  const zombie = Number(line.toString());
  await eventually(() => table.find(zombie)?.alive === false, "the zombie is seen as dead");
});

test("a program whose name looks like the fields after it is read right [E4]", onLinux, async (t) => {
  const path = join(await temporaryFolder(t), "a) Z 1 (b");
  copyFileSync("/bin/sleep", path);
  const child = spawn(path, ["300"], { stdio: "ignore" });
  t.after(() => void child.kill("SIGKILL"));
  const entry = table.find(child.pid!);
  assert.deepEqual([entry?.parentPid, entry?.alive], [process.pid, true]);
});

test("each new process, and each thread, is among the ids that were given since [E4]", onLinux, async (t) => {
  const before = table.idsSince(null);
  if (!before) return t.skip("the kernel does not tell the last id (ns_last_pid)");
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  t.after(() => child.kill("SIGKILL"));
  await once(child, "spawn");
  const { ids } = table.idsSince(before.last)!;
  assert.ok(ids.includes(child.pid!), `${child.pid} is not in ${ids.join(" ")}`);
  assert.equal(table.isThread(child.pid!), false);
  const threads = readdirSync(`/proc/${process.pid}/task`).map(Number);
  assert.deepEqual(
    threads.filter((id) => !table.isThread(id)),
    [process.pid],
  );
});

test("ids go on from the lowest after the highest [E4]", () => {
  assert.deepEqual(idsBetween(100, 103, 32767), [101, 102, 103]);
  assert.deepEqual(idsBetween(32765, 2, 32767), [32766, 32767, 1, 2]);
  assert.deepEqual(idsBetween(7, 7, 32767), []);
  assert.equal(idsBetween(7, 6, 32767), undefined);
});

test("a marker counts whole: another execution's id may begin with ours [E4]", onLinux, async (t) => {
  const child = spawn("sleep", ["300"], { stdio: "ignore", env: { A: "x", DECKHAND_EXECUTION: "call_12" } });
  t.after(() => void child.kill("SIGKILL"));
  await eventually(() => table.hasVariable(child.pid!, "DECKHAND_EXECUTION=call_12") === true, "it carries its own");
  assert.equal(table.hasVariable(child.pid!, "DECKHAND_EXECUTION=call_1"), false);
  assert.equal(table.hasVariable(child.pid!, "EXECUTION=call_12"), false);
});

test("whoever writes to the output is part of the command, whoever reads it is not [E4]", onLinux, async (t) => {
  const path = join(await temporaryFolder(t), "stdout");
  const writer = spawn("sleep", ["300"], { stdio: ["ignore", openSync(path, "a"), "ignore"], env: {} });
  const reader = spawn("sleep", ["300"], { stdio: [openSync(path, "r"), "ignore", "ignore"], env: {} });
  t.after(() => void (writer.kill("SIGKILL"), reader.kill("SIGKILL")));
  const target = { marker: "DECKHAND_EXECUTION=call_files", root: null, outputPaths: new Set([path]) };
  const { victims, complete } = findVictims(table, target, { known: new Map() });
  assert.deepEqual([victims.map(({ pid }) => pid), complete], [[writer.pid], true]);
});

test(
  "in a container that was entered without a session of its own, processes are not taken for the kernel's [E4]",
  inMode("require"),
  () => {
    const script = `import { linuxProcessTable } from ${JSON.stringify(new URL("../../src/process/stop/linux-process-table.ts", import.meta.url).href)};
    const { groupId, sessionId, kernel } = linuxProcessTable().find(process.pid);
    console.log(JSON.stringify({ groupId, sessionId, kernel }));`;
    const view = ["--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc"];
    const { stdout, stderr } = spawnSync("bwrap", [...view, process.execPath, "--input-type=module", "-e", script], {
      encoding: "utf8",
    });
    assert.deepEqual(JSON.parse(stdout || stderr), { groupId: 0, sessionId: 0, kernel: false });
    const kernel = findKernelThread();
    if (kernel !== undefined) assert.equal(table.find(kernel)?.kernel, true);
  },
);

/** `kthreadd` has the number 2 wherever the machine's own processes can be seen. */
function findKernelThread(): number | undefined {
  return existsSync("/proc/2/comm") && readFileSync("/proc/2/comm", "utf8") === "kthreadd\n" ? 2 : undefined;
}

test("neither we nor those who started us are ever victims [E4]", () => {
  const root = identify(table, process.ppid);
  const target = { marker: "PATH=" + process.env["PATH"]!, root, outputPaths: new Set<string>() };
  const { victims } = findVictims(table, target, {
    known: new Map([[process.pid, identify(table, process.pid)!.startTime]]),
  });
  const pids = victims.map(({ pid }) => pid);
  assert.equal(pids.includes(process.pid), false);
  assert.equal(pids.includes(process.ppid), false);
  assert.equal(pids.includes(1), false);
});

test("a runtime notices that it runs inside the very command that it would end [E4]", onLinux, () => {
  const outputPaths = new Set<string>();
  const [name, value] = Object.entries(process.env).find(([, text]) => text !== "" && !text!.includes("\n"))!;
  assert.equal(runsInside(table, { marker: `${name}=${value}`, root: null, outputPaths }), true);
  assert.equal(runsInside(table, { marker: "NOBODY=x", root: identify(table, process.ppid), outputPaths }), true);
  assert.equal(runsInside(table, { marker: "NOBODY=x", root: null, outputPaths }), false);
});
