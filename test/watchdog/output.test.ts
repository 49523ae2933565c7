import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openWatchdogLog } from "../../src/watchdog/records/watchdog-log.ts";
import { fixture, openWatchdogs } from "./start-watchdog.ts";

test("output beyond the size goes to numbered files, no line is lost or torn, and the crash record has the last 200 [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const env = {
    DECKHAND_WATCHDOG_LOG_MAX_BYTES: "300000",
    DECKHAND_WATCHDOG_LOG_FILES: "20",
    WATCHDOG_MAX_RESTARTS: "1",
  };
  const lines = 20_000;
  const dog = dogs.start(["sh", fixture("fills-stdout.sh"), String(lines)], {
    ...env,
    WATCHDOG_LOG_FILE: "out/dog.log",
  });
  assert.equal((await dog.ended).code, 4);
  const folder = join(dogs.machine.workdir, "out");
  const names = readdirSync(folder).sort(
    (one, other) => Number(other.split(".")[2] ?? 0) - Number(one.split(".")[2] ?? 0),
  );
  assert.ok(names.length >= 13, names.join(" "));
  for (const name of names) assert.ok(statSync(join(folder, name)).size < 300_000 + 100, name);
  const printed = names.flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"));
  const numbers = printed.filter((line) => /^\d+ *$/.test(line)).map(Number);
  const once = Array.from({ length: lines }, (_, index) => index + 1);
  assert.deepEqual(numbers, [...once, ...once]);

  const [crash] = dogs.crashes();
  assert.equal(crash!.last_lines.length, 200);
  assert.deepEqual(crash!.last_lines.map(Number), once.slice(-200));
});

test("of a log that is full only as many files are kept as are wanted [D3]", async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, "dog.log");
  const log = openWatchdogLog(path, { maxBytes: 100, files: 3 });
  for (let n = 0; n < 50; n++) log.write(Buffer.from(`${n} ${"x".repeat(40)}\n`));
  log.close();
  assert.deepEqual(readdirSync(folder).sort(), ["dog.log", "dog.log.1", "dog.log.2"]);
  assert.match(readFileSync(path, "utf8"), /^48 x+\n49 x+\n$/);
  assert.match(readFileSync(`${path}.1`, "utf8"), /^46 x+\n47 x+\n$/);
});

test("what is no file is never renamed, and a pipe that nobody reads is not waited for [D3]", async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  const open = (): ReturnType<typeof openWatchdogLog> => openWatchdogLog(path, { maxBytes: 100, files: 3 });
  assert.throws(open, { code: "CONFIG_INVALID", message: /^The log file .+\/pipe can't be written: ENXIO/ });
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const log = open();
  for (let n = 0; n < 50; n++) log.write(Buffer.from(`${n}\n`));
  const read = Buffer.alloc(4096);
  assert.equal(read.toString("utf8", 0, readSync(reader, read)).split("\n").length, 51);
  // More than it holds is lost, and said.
  const most = Buffer.alloc(1024 * 1024, "x");
  log.write(most);
  assert.ok(readSync(reader, most) < most.length);
  log.write(Buffer.from("again\n"));
  assert.match(read.toString("utf8", 0, readSync(reader, read)), /\[\d+ bytes could not be written here\]\nagain\n$/);
  log.close();
  closeSync(reader);
  assert.deepEqual(readdirSync(folder), ["pipe"]);
});

test("a log file that somebody moved is made anew, and the old one keeps what it had [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const dog = dogs.start(["sh", fixture("waits.sh")]);
  await dog.event("child:started");
  const path = join(dogs.logs, "watchdog.log");
  await until("ready", () => readFileSync(path, "utf8").includes("\nready\n"));
  renameSync(path, `${path}.mine`);
  await until("a new file", () => readdirSync(dogs.logs).includes("watchdog.log"));
  dog.child.kill("SIGTERM");
  await dog.ended;
  assert.match(readFileSync(path, "utf8"), /told to end/);
  assert.doesNotMatch(readFileSync(`${path}.mine`, "utf8"), /told to end/);
});

test("a disk that is full costs lines, which are counted, and nothing else [D3]", async (t) => {
  const folder = await temporaryFolder(t);
  const log = openWatchdogLog("/dev/full", { maxBytes: 1e9, files: 2 });
  log.write(Buffer.from("lost\n"));
  log.note(0, "lost");
  log.close();

  const path = join(folder, "sub", "dog.log");
  const other = openWatchdogLog(path, { maxBytes: 1e9, files: 2 });
  other.write(Buffer.from("kept\n"));
  renameSync(join(folder, "sub"), join(folder, "moved"));
  writeFileSync(join(folder, "sub"), "in the way");
  other.close();
  other.write(Buffer.from("twelve bytes"));
  renameSync(join(folder, "sub"), join(folder, "aside"));
  other.write(Buffer.from("again\n"));
  other.close();
  assert.equal(readFileSync(path, "utf8"), "[12 bytes could not be written here]\nagain\n");
});

test("the child finds AGENT_MODE=daemon, its workdir and no trace of the handover in its environment [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const print =
    'echo "$AGENT_MODE|$DECKHAND_WORKDIR|$PWD|${DECKHAND_WATCHDOG_HANDOVER:-none}|${DECKHAND_SAFE_MODE:-normal}"';
  // Whatever the person's own says: it runs without anybody in front of it.
  assert.equal((await dogs.start(["sh", "-c", print], { AGENT_MODE: "chat" }).ended).code, 0);
  const { workdir } = dogs.machine;
  const log = readFileSync(join(dogs.logs, "watchdog.log"), "utf8");
  assert.ok(log.includes(`\ndaemon|${workdir}|${workdir}|none|normal\n`), log);
  assert.equal(statSync(join(dogs.logs, "watchdog.log")).mode & 0o777, 0o600);
});

test("the folder that the watchdog made is the runtime's own afterwards [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  assert.equal((await dogs.start(["true"]).ended).code, 0);
  const { code, stderr } = await dogs.machine.run(["calls"]);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "No calls recorded in this workspace.\n" });
});
