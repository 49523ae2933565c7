import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { Detached, DetachedRequest } from "../../src/process/detached/detached.ts";
import { afterTest } from "../support/after-test.ts";
import { commandsWith, eventually, fixture, openBench, pause } from "./support.ts";

interface Place {
  readonly detached: Detached;
  readonly folder: string;
  start(script: string, more?: Partial<DetachedRequest>): ReturnType<Detached["start"]>;
  text(name: string): string;
}

async function openPlace(t: TestContext): Promise<Place> {
  const bench = await openBench(t);
  const { detached } = bench.processes;
  const folder = join(bench.folder, "task");
  mkdirSync(folder);
  afterTest(t, () => detached.stop(folder, 0));
  return {
    detached,
    folder,
    start: (script, more) =>
      detached.start({
        argv: ["/bin/sh", "-c", script],
        cwd: bench.folder,
        env: { PATH: process.env["PATH"]! },
        executionId: "task_1",
        folder,
        stdinPath: null,
        limitMs: 60_000,
        graceMs: 1000,
        ...more,
      }),
    text: (name) => readFileSync(join(folder, name), "utf8"),
  };
}

const untilEnded = ({ detached, folder }: Place): Promise<void> =>
  eventually(() => detached.look(folder).state === "ended", "it has ended", 30_000);

test("a detached program leaves its output and exit status in files, and who it was before it began [T6]", async (t) => {
  const place = await openPlace(t);
  const stdin = join(place.folder, "stdin");
  writeFileSync(stdin, "-hello\n");
  const start = await place.start(`cat; test -e "$DECKHAND_TASK/meta.json" && echo facts; echo oops >&2; exit 3`, {
    stdinPath: stdin,
  });
  assert.ok(start.ok);
  await untilEnded(place);
  const end = place.detached.look(place.folder);
  assert.deepEqual(end, {
    state: "ended",
    process: start.process,
    exit: { exitCode: 3, killedBy: null, timedOut: false },
  });
  assert.equal(place.text("stdout"), "-hello\nfacts\n");
  assert.equal(place.text("stderr"), "oops\n");
  await start.gone;
  await eventually(() => commandsWith(place.folder).length === 0, "nothing of it is left");
});

test("the program gets its own PATH and nothing of the shim's [T8]", async (t) => {
  const place = await openPlace(t);
  assert.ok((await place.start("env", { env: { PATH: "/usr/bin:/bin:/odd", limit: "mine" } })).ok);
  await untilEnded(place);
  const lines = place
    .text("stdout")
    .trim()
    .split("\n")
    .filter((line) => !/^(PWD|SHLVL|_)=/.test(line));
  assert.deepEqual(lines.sort(), [
    "DECKHAND_EXECUTION=task_1",
    `DECKHAND_TASK=${place.folder}`,
    "PATH=/usr/bin:/bin:/odd",
    "limit=mine",
  ]);
});

test("a signal that ends the program is told from an exit status [T6]", async (t) => {
  const place = await openPlace(t);
  assert.ok((await place.start("kill -KILL $$")).ok);
  await untilEnded(place);
  const end = place.detached.look(place.folder);
  assert.deepEqual(end.state === "ended" && end.exit, { exitCode: null, killedBy: "SIGKILL", timedOut: false });
});

test("the limit is kept with nobody watching, for those that ignore SIGTERM and those in other sessions [T8]", async (t) => {
  const place = await openPlace(t);
  const script = `trap '' TERM; setsid sleep 4711 & echo up; while :; do sleep 1; done`;
  assert.ok((await place.start(script, { limitMs: 1000 })).ok);
  await untilEnded(place);
  await eventually(() => commandsWith(place.folder).length === 0, "the shim and the program are gone");
  const end = place.detached.look(place.folder);
  assert.equal(end.state === "ended" && end.exit.timedOut, true);
  const report = await place.detached.stop(place.folder, 0);
  assert.deepEqual(report, { proof: "marker", killed: [], survivors: [] });
});

test("past the limit, what ends when it is asked does not keep anybody waiting for the grace [T8]", async (t) => {
  const place = await openPlace(t);
  assert.ok((await place.start("sleep 4712 & wait", { limitMs: 1000, graceMs: 3_600_000 })).ok);
  await eventually(
    () => commandsWith(place.folder).length === 0,
    "the program, the shim and the guard are gone",
    60_000,
  );
  const end = place.detached.look(place.folder);
  assert.equal(end.state === "ended" && end.exit.timedOut, true);
});

test("a shim that was killed does not hide what still runs below it, and its guard is no program [T6]", async (t) => {
  const place = await openPlace(t);
  const stop = join(place.folder, "stop");
  const start = await place.start(`echo up; until [ -e ${stop} ]; do sleep 0.05; done; echo done`);
  assert.ok(start.ok);
  await eventually(() => place.text("stdout") === "up\n", "it runs");
  process.kill(start.process.pid, "SIGKILL");
  await start.gone;
  assert.equal(place.detached.look(place.folder).state, "running");
  writeFileSync(stop, "");
  await eventually(() => place.detached.look(place.folder).state === "gone", "the program has ended");
  assert.equal(place.text("stdout"), "up\ndone\n");
});

test("stopping ends the group, a grandchild in its own session and the shim, and proves it [T7]", async (t) => {
  const place = await openPlace(t);
  assert.ok((await place.start(`sh -c 'setsid sh -c "trap \\"\\" TERM; echo up; sleep 60" &'; sleep 60`)).ok);
  await eventually(() => place.text("stdout") === "up\n", "the grandchild runs");
  const report = await place.detached.stop(place.folder, 100);
  assert.equal(report.proof, "marker");
  assert.deepEqual(report.survivors, []);
  assert.deepEqual(commandsWith(place.folder), []);
  assert.equal(place.detached.look(place.folder).state, "ended");
});

test("a pid that another process has by now is neither taken for it nor signalled [T6]", async (t) => {
  const place = await openPlace(t);
  const stranger = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
  afterTest(t, async () => void stranger.kill("SIGKILL"));
  const start = await place.start("exit 0");
  assert.ok(start.ok);
  await start.gone;
  writeFileSync(join(place.folder, "exit.json"), "");
  const facts = { ...(JSON.parse(place.text("meta.json")) as object), pid: stranger.pid, start_time: "1" };
  writeFileSync(join(place.folder, "meta.json"), JSON.stringify(facts));
  // The guard was killed by then, but may not have died yet.
  await eventually(() => place.detached.look(place.folder).state === "gone", "nothing counts as the program");
  await place.detached.stop(place.folder, 0);
  assert.equal(stranger.exitCode ?? stranger.signalCode, null);
  stranger.kill("SIGKILL");
  assert.deepEqual(await once(stranger, "exit"), [null, "SIGKILL"]);
});

test("what was forbidden before its shim came never begins [T6]", async (t) => {
  const place = await openPlace(t);
  assert.equal(place.detached.forbid(place.folder), true);
  const start = await place.start("echo never");
  assert.ok(start.ok);
  await start.gone;
  assert.equal(place.text("stdout"), "");
  assert.deepEqual(place.detached.look(place.folder), { state: "unstarted", process: null });
  assert.equal(place.detached.forbid(place.folder), false);
});

test("what was forbidden before its folder was there never begins, and a place that is gone is not made again [T6]", async (t) => {
  const place = await openPlace(t);
  const folder = join(place.folder, "task", "run-1");
  assert.equal(place.detached.forbid(folder), true);
  const start = await place.start("echo never", { folder });
  assert.ok(start.ok);
  await start.gone;
  assert.equal(place.text("task/run-1/stdout"), "");
  const gone = join(place.folder, "gone");
  assert.equal(place.detached.forbid(join(gone, "task", "run-1")), true);
  assert.equal(existsSync(gone), false);
});

test("what can't be started says why", async (t) => {
  const place = await openPlace(t);
  const start = await place.start("", { argv: ["no-such-agent"] });
  assert.deepEqual(start, {
    ok: false,
    startError: {
      code: "ENOENT",
      message: `The program "no-such-agent" was not found in PATH; check its name, or install it.`,
    },
  });
  const long = await place.start("", { argv: ["/bin/sh", "-c", `# ${"x".repeat(200_000)}`] });
  assert.equal(!long.ok && long.startError.code, "E2BIG");
  assert.equal(existsSync(join(place.folder, "began")), false);
});

test("neither the end of the runtime that started it nor the next one's clean-up touches it [T6]", async (t) => {
  const place = await openPlace(t);
  const runFolder = join(place.folder, "../run-of-others");
  const request = { folder: place.folder, argv: ["/bin/sh", "-c", "echo up; sleep 60"] };
  const runtime = spawn(process.execPath, [fixture("process/detach.ts"), runFolder, JSON.stringify(request)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(runtime.stdout, "data");
  await eventually(() => place.text("stdout") === "up\n", "it runs");
  runtime.kill("SIGKILL");
  await once(runtime, "exit");
  const next = await openBench(t, { runFolder });
  assert.deepEqual(await next.processes.reapAbandoned(), []);
  await next.processes.close();
  await pause(50);
  assert.equal(place.detached.look(place.folder).state, "running");
});

test("a program that has started one can end while that one runs [T6]", async (t) => {
  const place = await openPlace(t);
  const request = { folder: place.folder, argv: ["/bin/sh", "-c", "echo up; sleep 60"] };
  const args = [fixture("process/detach.ts"), join(place.folder, "../run-of-others"), JSON.stringify(request), "leave"];
  const starter = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  afterTest(t, async () => void starter.kill("SIGKILL"));
  await eventually(() => starter.exitCode === 0, "it has ended by itself");
  // Whoever started it may have gone before its shim has written down who it is.
  await eventually(() => place.detached.look(place.folder).state === "running", "the other one runs");
});
