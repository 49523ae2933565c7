import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openProcessTable } from "../../src/process/stop/process-table.ts";
import { takePidFile } from "../../src/process/detached/pid-file.ts";
import { count } from "../support/counts.ts";
import { until } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { fixture, isRunning, openWatchdogs } from "./start-watchdog.ts";

const waits = ["sh", fixture("waits.sh")];

test("a second watchdog ends with 100, says whose it is, and leaves the first alone [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const first = dogs.start(waits);
  const { pid } = await first.event("child:started");
  const path = join(dogs.logs, "watchdog.pid");
  // As `kill $(cat FILE)` needs it; who that is stands beside it.
  assert.equal(readFileSync(path, "utf8"), `${first.pid}\n`);
  const facts = JSON.parse(readFileSync(`${path}.identity`, "utf8"));
  assert.deepEqual(Object.keys(facts).sort(), ["boot_id", "pid", "start_time"]);
  assert.equal(facts.pid, first.pid);

  const second = dogs.start(waits);
  const { code, stderr } = await second.ended;
  assert.equal(code, 100);
  assert.match(
    stderr,
    new RegExp(`^deckhand: A watchdog runs here already: process ${first.pid}, says .+watchdog\\.pid\\. One is enough`),
  );
  assert.deepEqual([second.events()[0]!.type, second.events()[0]!["holder_pid"]], ["watchdog:refused", first.pid]);
  assert.equal(isRunning(Number(pid)), true);
  first.child.kill("SIGTERM");
  assert.equal((await first.ended).code, 0);
  for (const file of [path, `${path}.identity`]) assert.throws(() => readFileSync(file), { code: "ENOENT" });
});

test("a watchdog of an earlier version, whose pid file holds its identity, is found, and a dead one's is taken over [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const path = join(dogs.machine.workdir, "dog.pid");
  const env = { WATCHDOG_PID_FILE: path };
  const stat = readFileSync(`/proc/${process.pid}/stat`, "utf8");
  const startTime = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  const { bootId } = openProcessTable(process.platform);
  writeFileSync(path, JSON.stringify({ pid: process.pid, start_time: startTime, boot_id: bootId }));
  const { code, stderr } = await dogs.start(["true"], env).ended;
  assert.equal(code, 100);
  assert.match(stderr, new RegExp(`A watchdog runs here already: process ${process.pid}, says ${path}\\.`));
  assert.equal((await dogs.machine.run(["watchdog", "status"], { env })).stdout.includes(String(process.pid)), true);
  writeFileSync(path, JSON.stringify({ pid: process.pid, start_time: "1", boot_id: bootId }));
  const dog = dogs.start(waits, env);
  await dog.event("child:started");
  assert.equal(readFileSync(path, "utf8"), `${dog.pid}\n`);
});

test("after a kill -9 the pid that is left may belong to another program by now: the identity beside it tells [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const path = join(dogs.machine.workdir, "dog.pid");
  const first = dogs.start(waits, { WATCHDOG_PID_FILE: path });
  await first.event("child:started");
  first.child.kill("SIGKILL");
  await first.ended;
  const facts = JSON.parse(readFileSync(`${path}.identity`, "utf8"));
  // As if the number had been given to this very process since.
  writeFileSync(path, `${process.pid}\n`);
  writeFileSync(`${path}.identity`, JSON.stringify({ ...facts, pid: process.pid, start_time: "1" }));
  const second = dogs.start(waits, { WATCHDOG_PID_FILE: path });
  await second.event("child:started");
  assert.equal(readFileSync(path, "utf8"), `${second.pid}\n`);
});

test("a pid file whose pid belongs to another process now is taken over [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const path = join(dogs.machine.workdir, "dog.pid");
  const first = dogs.start(waits, { WATCHDOG_PID_FILE: path });
  await first.event("child:started");
  const facts = JSON.parse(readFileSync(`${path}.identity`, "utf8"));
  first.child.kill("SIGTERM");
  await first.ended;
  // This very process runs, but did not start then.
  writeFileSync(path, JSON.stringify({ ...facts, pid: process.pid, start_time: "1" }));
  const second = dogs.start(waits, { WATCHDOG_PID_FILE: path });
  await second.event("child:started");
  assert.equal(readFileSync(path, "utf8"), `${second.pid}\n`);
});

test("a pid file of another boot, an empty one and one of a dead process are taken over [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const path = join(dogs.machine.workdir, "dog.pid");
  for (const text of [
    JSON.stringify({ pid: 1, start_time: "1", boot_id: "another/1" }),
    "",
    "999999999\n",
    "nonsense",
  ]) {
    writeFileSync(path, text);
    const dog = dogs.start(["true"], { WATCHDOG_PID_FILE: path });
    assert.deepEqual({ text, code: (await dog.ended).code }, { text, code: 0 });
  }
});

test("a bare number in the pid file counts when such a process runs: whose it is can't be told [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const path = join(dogs.machine.workdir, "dog.pid");
  // In a container the number is often 1.
  for (const pid of [process.pid, 1]) {
    writeFileSync(path, `${pid}\n`);
    const { code, stderr } = await dogs.start(["true"], { WATCHDOG_PID_FILE: path }).ended;
    assert.equal(code, 100);
    const words = `names process ${pid}, which runs, but not since when. If that is no watchdog, remove the file.`;
    assert.ok(stderr.includes(words), stderr);
    assert.equal(readFileSync(path, "utf8"), `${pid}\n`);
  }
});

test("of several that start at once beside a stale pid file one runs, and the rest end with 100 [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const path = join(dogs.machine.workdir, "dog.pid");
  const stale = JSON.stringify({ pid: 1, start_time: "1", boot_id: "another/1" });
  for (let round = 0; round < count({ quick: 1, full: 20 }); round++) {
    writeFileSync(path, stale);
    const started = Array.from({ length: 5 }, () => dogs.start(waits, { WATCHDOG_PID_FILE: path }));
    await until(
      "all but one have ended",
      () => started.filter(({ child }) => child.exitCode === null).length <= 1,
      60_000,
    );
    const running = started.filter(({ child }) => child.exitCode === null);
    const codes = started.flatMap(({ child }) => child.exitCode ?? []);
    assert.deepEqual([running.length, codes], [1, [100, 100, 100, 100]]);
    await running[0]!.event("child:started");
    assert.equal(readFileSync(path, "utf8"), `${running[0]!.pid}\n`);
    running[0]!.child.kill("SIGTERM");
    await running[0]!.ended;
  }
});

test("a pid file that was removed is made again; one that another took ends this one with 100 [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const path = join(dogs.machine.workdir, "dog.pid");
  const dog = dogs.start(waits, { WATCHDOG_PID_FILE: path });
  const { pid } = await dog.event("child:started");
  const own = readFileSync(path, "utf8");
  writeFileSync(path, "");
  await until("it is whole again", () => readFileSync(path, { encoding: "utf8", flag: "a+" }) === own);

  const other = JSON.parse(readFileSync(`${path}.identity`, "utf8"));
  const stat = readFileSync(`/proc/${process.pid}/stat`, "utf8");
  const startTime = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  writeFileSync(path, JSON.stringify({ ...other, pid: process.pid, start_time: startTime }));
  assert.equal((await dog.ended).code, 100);
  assert.equal(isRunning(Number(pid)), false);
  // The status belongs to the one that has the lock now: nothing is written over it.
  assert.equal(dogs.status()["state"], "running");
});

test("a lock whose folder is gone is still held, and let go without an error [D3]", async (t) => {
  const folder = join(await temporaryFolder(t), "folder");
  const path = join(folder, "dog.pid");
  const lock = takePidFile(path, openProcessTable(process.platform), "watchdog");
  assert.ok(lock.taken && lock.hold());
  rmSync(folder, { recursive: true });
  writeFileSync(folder, "in the way");
  assert.equal(lock.hold(), true);
  lock.release();
  rmSync(folder);
  assert.equal(lock.hold(), true);
  assert.equal(JSON.parse(readFileSync(path, "utf8")).pid, process.pid);
  lock.release();
  assert.throws(() => readFileSync(path), { code: "ENOENT" });
});

test("a pid file that can't be made is one sentence [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const path = join(dogs.machine.workdir, "folder");
  mkdirSync(path);
  const { code, stderr } = await dogs.start(["true"], { WATCHDOG_PID_FILE: path }).ended;
  assert.equal(code, 2);
  assert.match(stderr, /^deckhand: The pid file .+ can't be .+\n$/);
});

test("a pipe in place of the pid file is one sentence, and stays [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const pipe = join(dogs.machine.workdir, "dog.pid");
  execFileSync("mkfifo", [pipe]);
  const env = { WATCHDOG_PID_FILE: pipe };
  const told = `deckhand: The pid file ${pipe} can't be used: it is no plain file. Move it away, or name another one.\n`;
  const { code, stderr } = await dogs.start(["true"], env).ended;
  assert.deepEqual([code, stderr], [2, told]);
  const status = await dogs.machine.run(["watchdog", "status"], { env });
  assert.deepEqual([status.code, status.stderr], [2, told]);
  assert.ok(statSync(pipe).isFIFO());
});

test("a holder in another container counts while it touches its lock, and a restarted container takes it over [D3]", async (t) => {
  const path = join(await temporaryFolder(t), "daemon.lock");
  const table = { ...openProcessTable(process.platform), mayBeRunningElsewhere: () => true };
  const other = { pid: 1, start_time: "5", boot_id: `${table.bootId.split("/")[0]}/1` };
  writeFileSync(path, JSON.stringify(other));
  const refused = takePidFile(path, table, "daemon");
  assert.equal(refused.taken, false);
  assert.match(!refused.taken ? refused.reason : "", /process 1, in another container, says /);
  const longAgo = Date.now() / 1000 - 31;
  utimesSync(path, longAgo, longAgo);
  const lock = takePidFile(path, table, "daemon");
  assert.ok(lock.taken);
  utimesSync(path, longAgo, longAgo);
  assert.equal(lock.hold(), true);
  assert.ok(Date.now() - statSync(path).mtimeMs < 30_000, "the holder touches it");
  lock.release();
});
