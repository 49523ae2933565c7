import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import type { BackgroundRequest, BackgroundStart } from "../../src/process/background/start-background.ts";
import { createProcesses } from "../../src/process/processes.ts";
import { commandsWith, eventually, fixture, inMode, modes, openBench, sizesIn } from "./support.ts";
import type { Bench } from "./support.ts";

function start(bench: Bench, script: string, more: Partial<BackgroundRequest> = {}): Promise<BackgroundStart> {
  return bench.processes.background.start({
    argv: ["bash", "-c", `${script}\n# ${bench.folder}`],
    cwd: bench.folder,
    env: { PATH: process.env["PATH"]! },
    executionId: "call_server",
    readyTimeoutMs: 5000,
    keep: false,
    ...more,
  });
}

/** What was started; fails when nothing was. */
function running(started: BackgroundStart): Exclude<BackgroundStart, { state: "not_started" }> {
  assert.notEqual(started.state, "not_started", JSON.stringify(started));
  return started as Exclude<BackgroundStart, { state: "not_started" }>;
}

for (const mode of modes) {
  describe(`sandbox ${mode}`, inMode(mode), () => {
    test("a server is ready when its words appear, also in colours and in pieces [C12]", async (t) => {
      const bench = await openBench(t, { sandbox: mode });
      const script =
        "echo booting; sleep 0.2; printf '\\033[32mListening \\033[0m'; sleep 0.2; printf 'on 80\\n'; exec sleep 300";
      const started = running(
        await start(bench, script, { readiness: { text: "Listening on 80" }, ownerSession: "ses_1" }),
      );
      assert.equal(started.state, "ready");
      const { pid, command, startedAt, outputBytes, ...rest } = started.process;
      assert.deepEqual(rest, {
        id: "call_server",
        executionId: "call_server",
        cwd: bench.folder,
        keep: false,
        ownerSession: "ses_1",
        state: "running",
        exitCode: null,
        killedBy: null,
        endedAt: null,
        isSandboxed: mode === "require",
      });
      assert.ok(pid! > 1 && command[0] === "bash" && startedAt <= Date.now() && outputBytes > 20);
      assert.deepEqual(
        bench.processes.background.list().map(({ id, state }) => ({ id, state })),
        [{ id: "call_server", state: "running" }],
      );
      const output = bench.processes.background.read("call_server", { tailBytes: 1000, headBytes: 7 });
      assert.equal(output?.text, "booting\n\u001b[32mListening \u001b[0mon 80\n");
      assert.deepEqual([output.head, output.skippedBytes], ["booting", 0]);

      const report = await bench.processes.background.stop("call_server");
      assert.deepEqual([report?.proof, report?.survivors], [mode === "off" ? "marker" : "namespace", []]);
      assert.deepEqual(commandsWith(bench.folder), []);
      const [ended] = bench.processes.background.list();
      assert.deepEqual([ended?.state, ended?.killedBy], ["stopped", "SIGTERM"]);
    });

    test("a server is ready when its port answers [C12]", async (t) => {
      const bench = await openBench(t, { sandbox: mode });
      const port = await freePort();
      const program = `setTimeout(() => require("net").createServer().listen(${port}, "127.0.0.1"), 200)`;
      const script = `exec ${JSON.stringify(process.execPath)} -e '${program}'`;
      const started = await start(bench, script, { readiness: { port }, readyTimeoutMs: 10_000 });
      assert.equal(started.state, "ready");
    });

    test("one that ends early is told with its exit code and its output [C12]", async (t) => {
      const bench = await openBench(t, { sandbox: mode });
      const started = running(await start(bench, "echo no such module >&2; exit 3", { readiness: { text: "never" } }));
      assert.deepEqual([started.state, started.process.state, started.process.exitCode], ["exited", "exited", 3]);
      assert.equal(started.output, "no such module\n");
      const unasked = running(await start(bench, "exit 5"));
      assert.deepEqual([unasked.state, unasked.process.exitCode], ["exited", 5]);
    });

    test("one that is not ready in time runs on, and that is said [C12]", async (t) => {
      const bench = await openBench(t, { sandbox: mode });
      const started = running(
        await start(bench, "echo slow; exec sleep 300", { readiness: { text: "never" }, readyTimeoutMs: 200 }),
      );
      assert.deepEqual([started.state, started.process.state, started.output], ["not_ready", "running", "slow\n"]);
    });

    test("a cancel while it is waited for stops it [C12]", async (t) => {
      const bench = await openBench(t, { sandbox: mode });
      const cancel = new AbortController();
      const starting = start(bench, ": > up; sleep 300", { readiness: { text: "never" }, signal: cancel.signal });
      await eventually(() => existsSync(join(bench.folder, "up")), "it runs");
      cancel.abort();
      const started = running(await starting);
      assert.deepEqual([started.state, started.stop?.survivors, started.process.state], ["stopped", [], "stopped"]);
      assert.deepEqual(commandsWith(bench.folder), []);
    });

    test("none outlives its runtime, and what was kept does [C12]", async (t) => {
      const bench = await openBench(t, { sandbox: mode, graceMs: 500 });
      running(await start(bench, "exec sleep 301", { executionId: "call_own" }));
      running(await start(bench, "echo kept; exec sleep 302", { executionId: "call_kept", keep: true }));
      await bench.processes.close();
      assert.deepEqual(readdirSync(join(bench.folder, "run")), ["call_kept"]);
      assert.equal(commandsWith("sleep 301").length, 0);

      const later = createProcesses({
        runFolder: join(bench.folder, "run"),
        clock: systemClock,
        sandbox: mode,
        graceMs: 500,
      });
      assert.deepEqual(await later.reapAbandoned(), []);
      const [kept] = later.background.list();
      assert.deepEqual([kept?.id, kept?.state, kept?.keep], ["call_kept", "running", true]);
      assert.equal(later.background.read("call_kept", { tailBytes: 100 })?.text, "kept\n");
      const report = await later.background.stop("call_kept");
      assert.deepEqual([report?.survivors, later.background.find("call_kept")?.state], [[], "stopped"]);
      assert.equal(commandsWith("sleep 302").length, 0);
      await later.close();
      // Its output can still be read for an hour; nobody waits for that here.
      await rm(join(bench.folder, "run", "call_kept"), { recursive: true });
    });

    test("a kept one tells how it ended by itself, and leaves nothing behind [C12]", async (t) => {
      const bench = await openBench(t, { sandbox: mode });
      for (const [script, end] of [
        ["exit 143", [143, null]],
        ["kill -9 $$", [null, "SIGKILL"]],
      ] as const) {
        const started = running(await start(bench, script, { keep: true, readiness: { text: "never" } }));
        const { id, exitCode, killedBy } = started.process;
        assert.deepEqual([started.state, [exitCode, killedBy], started.stop], ["exited", end, null]);
        // The guard of its log was asked to end by then, but may not have ended yet.
        await eventually(() => commandsWith(bench.folder).length === 0, "nothing is left");
        await rm(join(bench.folder, "run", id), { recursive: true });
      }
    });

    test("the log of a kept one never grows past its limit, also when its owner has ended [C12]", async (t) => {
      const bench = await openBench(t, { sandbox: mode, maxLogBytes: 1_000_000 });
      running(await start(bench, "echo the very first line; exec yes", { keep: true }));
      await bench.processes.close();
      const folder = join(bench.folder, "run", "call_server");
      const later = createProcesses({
        runFolder: join(bench.folder, "run"),
        clock: systemClock,
        sandbox: mode,
      });
      const written = (): number => later.background.find("call_server")!.outputBytes;
      let most = 0;
      await eventually(
        () => (most = Math.max(most, logUse(folder))) > 0 && written() > 100_000_000,
        "it floods",
        60_000,
      );
      assert.ok(most <= 1_000_000, `${most} bytes on disk`);
      assert.deepEqual((await later.background.stop("call_server"))?.survivors, []);
      const read = later.background.read("call_server", { tailBytes: 20, headBytes: 19 });
      assert.equal(read?.head, "the very first line");
      assert.match(read.text, /^[y\n]+$/);
      assert.equal(read.cutBytes + logUse(folder) - statSync(join(folder, "output.head")).size, read.totalBytes);
      // It has written everything by then, but may not have ended yet.
      await eventually(() => commandsWith(bench.folder).length === 0, "what wrote the log has gone as well");
      await later.close();
      await rm(folder, { recursive: true });
    });

    for (const keep of [false, true]) {
      test(`one that opens its own output once more loses nothing of it, keep ${keep} [C12]`, async (t) => {
        const bench = await openBench(t, { sandbox: mode });
        const script = "echo one; echo two >/dev/stdout; echo three; echo four >/dev/stderr; exit 3";
        const started = running(await start(bench, script, { keep }));
        await eventually(() => bench.processes.background.find("call_server")?.state === "exited", "its end");
        assert.equal(started.process.keep, keep);
        const { text, totalBytes, cutBytes } = bench.processes.background.read("call_server", { tailBytes: 100 })!;
        assert.deepEqual([text, totalBytes, cutBytes], ["one\ntwo\nthree\nfour\n", 19, 0]);
        await rm(join(bench.folder, "run", "call_server"), { recursive: true });
      });
    }

    test("after a kill -9 the kept one lives, its exit code is known later, and the other one is reaped [C12 E4]", async (t) => {
      const bench = await openBench(t, { sandbox: mode });
      const runFolder = join(bench.folder, "run");
      const runtimeFile = fixture("process/runtime.ts");
      for (const kind of ["keep", "background"]) {
        const beats = join(bench.folder, kind);
        mkdirSync(beats);
        const script = 'trap "exit 9" TERM; while :; do echo . >>"$0/beat"; sleep 0.05; done';
        const runtime = spawn(process.execPath, [runtimeFile, runFolder, mode, kind, "bash", "-c", script, beats]);
        await eventually(() => "beat" in sizesIn(beats), `${kind} beats`);
        runtime.kill("SIGKILL");
        await once(runtime, "exit");
      }
      // The first one is there already, so the second has a number.
      const reaped = await bench.processes.reapAbandoned();
      assert.deepEqual(
        reaped.map(({ executionId, kind }) => ({ executionId, kind })),
        [{ executionId: "call_lost", kind: "background" }],
      );
      assert.deepEqual(commandsWith(join(bench.folder, "background")), []);

      const [kept] = bench.processes.background.list();
      assert.deepEqual([kept?.state, kept?.keep], ["running", true]);
      for (const row of commandsWith(join(bench.folder, "keep"))) {
        const pid = Number.parseInt(row, 10);
        if (row.includes("bash -c trap") && !row.includes("exec")) process.kill(pid, "SIGTERM");
      }
      await eventually(() => bench.processes.background.find(kept!.id)?.state === "exited", "it ended");
      assert.equal(bench.processes.background.find(kept!.id)?.exitCode, 9);
      await rm(join(runFolder, kept!.id), { recursive: true });
    });
  });
}

test("a kept process whose start was never written down is found by its marker [C12 E4]", async (t) => {
  const bench = await openBench(t);
  running(await start(bench, "exec sleep 303", { keep: true }));
  await bench.processes.close();
  const path = join(bench.folder, "run", "call_server", "process.json");
  const record = JSON.parse(readFileSync(path, "utf8")) as { owner: object };
  writeFileSync(path, JSON.stringify({ ...record, owner: { ...record.owner, pid: 4_194_000 }, child: null }));

  const later = createProcesses({ runFolder: join(bench.folder, "run"), clock: systemClock, sandbox: "off" });
  assert.deepEqual(await later.reapAbandoned(), []);
  assert.equal(later.background.find("call_server")?.state, "running");
  assert.deepEqual((await later.background.stop("call_server"))?.survivors, []);
  assert.equal(later.background.find("call_server")?.state, "stopped");
  assert.equal(commandsWith("sleep 303").length, 0);
  await later.close();
  await rm(join(bench.folder, "run", "call_server"), { recursive: true });
});

test("a port that answers already can't tell anything, so nothing is started [C12]", async (t) => {
  const bench = await openBench(t);
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => void server.close());
  const { port } = server.address() as { port: number };
  const started = await start(bench, "sleep 300", { readiness: { port } });
  assert.equal(started.state === "not_started" && started.startError.code, "EADDRINUSE");
});

test("a chatty server is neither stopped nor does it fill the disk, and its end can be read [C12]", async (t) => {
  const bench = await openBench(t);
  const script =
    "echo the very first line; head -c 30000000 /dev/zero | tr '\\0' 'x'; echo; sleep 0.2; echo the very last line; exec sleep 300";
  const started = running(
    await start(bench, script, { readiness: { text: "the very last line" }, readyTimeoutMs: 20_000 }),
  );
  assert.equal(started.state, "ready");
  const used = logUse(join(bench.folder, "run", "call_server"));
  assert.ok(used <= 8 * 1024 * 1024, `${used} bytes on disk`);
  const output = bench.processes.background.read("call_server", { tailBytes: 40, headBytes: 24 })!;
  assert.ok(output.text.endsWith("x\nthe very last line\n"));
  assert.equal(output.head, "the very first line\nxxxx");
  assert.equal(output.skippedBytes, output.totalBytes - Buffer.byteLength(output.text));
  assert.equal(output.totalBytes, "the very first line\n".length + 30_000_000 + "\nthe very last line\n".length);
  assert.equal(bench.processes.background.list()[0]?.state, "running");
});

test("ids that are none find nothing, also those that point elsewhere [C12]", async (t) => {
  const { processes, run } = await openBench(t);
  await run(["true"], { executionId: "call_plain" });
  for (const id of ["", "no-such", "../run/call_plain", "..", "call_plain", "/etc"]) {
    assert.equal(processes.background.find(id), undefined);
    assert.equal(processes.background.read(id, { tailBytes: 10 }), undefined);
    assert.equal(await processes.background.stop(id), undefined);
  }
});

test("words that are empty and ports that are none are refused [C12]", async (t) => {
  const bench = await openBench(t);
  for (const readiness of [{ text: "" }, { port: 0 }, { port: 70_000 }, { port: 1.5 }]) {
    const started = await start(bench, "sleep 300", { readiness });
    assert.equal(started.state === "not_started" && started.startError.code, "EINVAL");
  }
});

test("a flood never takes more than the limit of the log, and what was cut is counted exactly [C12]", async (t) => {
  const bench = await openBench(t, { maxLogBytes: 500_000 });
  running(await start(bench, "yes | head -c 200000000; sleep 300"));
  const folder = join(bench.folder, "run", "call_server");
  let most = 0;
  const written = (): number => bench.processes.background.find("call_server")!.outputBytes;
  await eventually(
    () => (most = Math.max(most, logUse(folder))) > 0 && written() === 200_000_000,
    "all of it is counted",
    60_000,
  );
  assert.ok(most <= 500_000, `${most} bytes on disk`);
  const read = bench.processes.background.read("call_server", { tailBytes: 4 })!;
  assert.deepEqual([read.text, read.skippedBytes], ["y\ny\n", 199_999_996]);
  assert.equal(read.cutBytes + logUse(folder) - statSync(join(folder, "output.head")).size, read.totalBytes);
  await bench.processes.background.stop("call_server");
});

/** What the log takes on the disk. */
function logUse(folder: string): number {
  const names = readdirSync(folder).filter((name) => /^output(\.head|\.previous)?$/.test(name));
  return names.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
