import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { isRunning, livingProcesses } from "../support/living-processes.ts";
import { commandsWith, eventually, fixture, inMode, modes, openBench, runsIn, textOf } from "./support.ts";
import { userLane } from "../support/require.ts";

for (const mode of modes) {
  describe(`sandbox ${mode}`, inMode(mode), () => {
    test("a command that ends gives its exit code and its output, apart [E4]", async (t) => {
      const { run } = await openBench(t, { sandbox: mode });
      const end = await run(["sh", "-c", "echo out; echo err >&2; exit 3"]);
      const { discard, explain, stdout, stderr, ...rest } = end;
      assert.deepEqual(rest, {
        exitCode: 3,
        killedBy: null,
        stoppedBy: null,
        diskFull: false,
        stop: null,
        sandbox: {
          off: { kind: "none", profile: null, network: true },
          require: { kind: "bwrap", profile: "normal", network: true },
        }[mode],
        startError: null,
      });
      assert.equal(explain("err\n"), null);
      assert.deepEqual([textOf(stdout), textOf(stderr)], ["out\n", "err\n"]);
      assert.deepEqual([stdout.bytes, stderr.bytes], [4, 4]);
      await discard();
      assert.equal(existsSync(stdout.path), false);
      await discard();
    });

    test("death by a signal and the exit code that looks like it are told apart [E4]", async (t) => {
      const { run } = await openBench(t, { sandbox: mode });
      const killed = await run(["sh", "-c", "kill -9 $$"]);
      assert.deepEqual([killed.exitCode, killed.killedBy], [null, "SIGKILL"]);
      const exited = await run(["sh", "-c", "exit 137"]);
      assert.deepEqual([exited.exitCode, exited.killedBy], [137, null]);
      const aborted = await run(["sh", "-c", "kill -6 $$"]);
      assert.deepEqual([aborted.exitCode, aborted.killedBy], [null, "SIGABRT"]);
    });

    test("the child gets exactly the environment it was given, and the marker [G7]", async (t) => {
      const { run, folder } = await openBench(t, { sandbox: mode });
      const env = { PATH: "/usr/bin:/bin", GREETING: "two words\nand a line", EMPTY: "" };
      const end = await run(["env", "-0"], { env, executionId: "call_env" });
      const variables = Object.fromEntries(
        textOf(end.stdout)
          .split("\0")
          .filter(Boolean)
          .map((row) => row.split(/=(.*)/s)),
      );
      // bash as /bin/sh adds these to the environment of everything it starts.
      for (const name of ["_", "SHLVL"]) delete variables[name];
      const { DECKHAND_RUN: marker, ...others } = variables;
      if (mode === "require") {
        const places = Object.entries(others).filter(([name]) => !(name in env) && name !== "DECKHAND_EXECUTION");
        for (const [name, value] of places) {
          assert.match(String(value), /^\/tmp(\/\.cache(\/[\w-]+)?)?$/, name);
          delete others[name];
        }
      }
      assert.deepEqual(others, { ...env, DECKHAND_EXECUTION: "call_env" });
      assert.equal(marker, join(folder, "run", "call_env"));
    });

    test("the child reads an empty stdin, has its own session and no terminal [E4]", async (t) => {
      const { run } = await openBench(t, { sandbox: mode });
      const sessionOf = existsSync("/proc/self/stat")
        ? (pid: string) => `sed 's/.*) //' /proc/${pid}/stat | cut -d' ' -f4`
        : (pid: string) => `ps -o sid= -p ${pid}`;
      const end = await run([
        "sh",
        "-c",
        `cat; (: >/dev/tty) 2>/dev/null || echo no terminal; ${sessionOf("$$")}; pwd`,
      ]);
      const [terminal, session, folder] = textOf(end.stdout).trim().split("\n");
      assert.equal(terminal, "no terminal");
      assert.match(session ?? "", /^ *\d+$/);
      const ours = await run(["sh", "-c", sessionOf(String(process.pid))]);
      assert.notEqual(session?.trim(), textOf(ours.stdout).trim());
      assert.equal(folder, join(end.stdout.path, "../../.."));
    });

    test("what a command leaves behind is ended and listed, and the call does not wait for it [E4]", async (t) => {
      const { run, folder } = await openBench(t, { sandbox: mode });
      const script = `sleep 301 & setsid sleep 302 & nohup sleep 303 >/dev/null 2>&1 & sleep 0.2; echo done # ${folder}`;
      const began = performance.now();
      const end = await run(["bash", "-c", script]);
      assert.ok(performance.now() - began < 5000);
      assert.deepEqual([end.exitCode, end.stoppedBy, textOf(end.stdout)], [0, null, "done\n"]);
      assert.deepEqual(end.stop?.killed.map(({ command }) => command).sort(), ["sleep 301", "sleep 302", "sleep 303"]);
      assert.deepEqual(end.stop?.survivors, []);
      assert.equal(end.stop?.proof, mode === "off" ? "marker" : "namespace");
    });

    test("the wall limit stops a command that only waits [E4 E3]", async (t) => {
      const { run } = await openBench(t, { sandbox: mode });
      const end = await run(["sleep", "300"], { wallMs: 100 });
      assert.deepEqual([end.stoppedBy, end.exitCode, end.killedBy], ["wall", null, "SIGTERM"]);
      assert.deepEqual(
        end.stop?.killed.map(({ command }) => command),
        ["sleep 300"],
        "also when SIGTERM was enough",
      );
    });

    test("the idle limit stops a command that has gone quiet, not one that writes [E3]", async (t) => {
      const { run } = await openBench(t, { sandbox: mode });
      const quiet = await run(["sh", "-c", "echo hello; sleep 300"], { idleMs: 150 });
      assert.deepEqual([quiet.stoppedBy, textOf(quiet.stdout)], ["idle", "hello\n"]);
      const busy = await run(["sh", "-c", "for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; done"], { idleMs: 500 });
      assert.deepEqual([busy.stoppedBy, busy.exitCode], [null, 0]);
    });

    test("a handler for SIGTERM may finish its work within the grace [E4]", async (t) => {
      const { run } = await openBench(t, { sandbox: mode, graceMs: 5000 });
      const began = performance.now();
      const end = await run(["bash", "-c", "trap 'echo cleaned; exit 7' TERM; while :; do sleep 0.05; done"], {
        wallMs: 200,
      });
      assert.deepEqual([end.stoppedBy, end.exitCode, textOf(end.stdout)], ["wall", 7, "cleaned\n"]);
      assert.ok(performance.now() - began < 4000, "the grace is not waited out");
    });

    test("output without end is stopped and cut at the limit [E4]", async (t) => {
      const { run } = await openBench(t, { sandbox: mode });
      for (const script of ["yes", "yes >&2", "trap '' TERM; while :; do echo stubborn; done"]) {
        const end = await run(["bash", "-c", script], { maxOutputBytes: 100_000 });
        assert.equal(end.stoppedBy, "output_limit");
        assert.equal(Math.max(end.stdout.bytes, end.stderr.bytes), 100_000);
        assert.equal(statSync(end.stdout.path).size, end.stdout.bytes);
        assert.equal(statSync(end.stderr.path).size, end.stderr.bytes);
      }
    });

    test("a command that opens its own output once more loses nothing of it [C1]", async (t) => {
      const { run } = await openBench(t, { sandbox: mode });
      const heard: string[] = [];
      const script =
        "echo one; echo 2 >/dev/stdout; echo three; echo four | tee /dev/stderr >/proc/self/fd/1; echo five >&2";
      const end = await run(["bash", "-c", script], {
        onOutput: (stream, text) => void (stream === "stdout" && heard.push(text)),
      });
      assert.deepEqual([textOf(end.stdout), textOf(end.stderr)], ["one\n2\nthree\nfour\n", "four\nfive\n"]);
      assert.deepEqual([end.stdout.emptied, end.stderr.emptied, heard.join("")], [false, false, textOf(end.stdout)]);
    });

    test("a Node program beside them does not make the writes of others fail [C1]", async (t) => {
      const { run, folder } = await openBench(t, { sandbox: mode });
      const node = `"${process.execPath}" -e "console.log('up'); setInterval(() => {}, 1000)"`;
      const end = await run(["bash", "-c", `${node} & until [ -e go ]; do sleep 0.02; done; seq 1 500000; kill %1`], {
        onOutput: (_, text) => void (text.includes("up") && writeFileSync(join(folder, "go"), "")),
      });
      assert.deepEqual([end.exitCode, textOf(end.stderr), end.stdout.bytes], [0, "", 3_388_898]);
    });

    test("a script lies in the private folder and goes with it [C1 G7]", async (t) => {
      const { run } = await openBench(t, { sandbox: mode });
      const end = await run(["sh", "-c", 'cat "$1"; stat -c %a "$1"; echo "$1"', "sh"], { script: "some\ntext\n" });
      const path = join(end.stdout.path, "../script");
      assert.equal(textOf(end.stdout), `some\ntext\n600\n${path}\n`);
      await end.discard();
      assert.equal(existsSync(path), false);
    });

    test("a command that ends with too much output says so [E4]", async (t) => {
      const { run } = await openBench(t, { sandbox: mode });
      const end = await run(["head", "-c", "5000", "/dev/zero"], { maxOutputBytes: 1000 });
      assert.deepEqual([end.stoppedBy, end.stdout.bytes], ["output_limit", 1000]);
      // It ended by itself, or a look at its output came between its last byte and its end: then it was stopped.
      assert.ok(
        end.exitCode === 0 || (end.exitCode === null && end.killedBy !== null),
        `${end.exitCode} ${end.killedBy}`,
      );
    });

    test("not being able to start is a value with the same words in every sandbox [E4]", async (t) => {
      const { run, folder } = await openBench(t, { sandbox: mode });
      writeFileSync(join(folder, "not-executable"), "#!/bin/sh\n");
      writeFileSync(join(folder, "no-interpreter"), "#!/no/such/interpreter\n", { mode: 0o755 });
      mkdirSync(join(folder, "folder"));
      const starts: Record<string, Awaited<ReturnType<typeof run>>> = {
        missing: await run(["no-such-program-anywhere"]),
        missingPath: await run(["./no-such-file"]),
        mode: await run(["./not-executable"]),
        directory: await run(["./folder"]),
        interpreter: await run(["./no-interpreter"]),
        cwd: await run(["true"], { cwd: join(folder, "gone") }),
        cwdFile: await run(["true"], { cwd: join(folder, "not-executable") }),
        nul: await run(["echo", "a\0b"]),
        empty: await run([""]),
        name: await run(["true"], { env: { "A=B": "c" } }),
        value: await run(["true"], { env: { A: "b\0" } }),
        id: await run(["true"], { executionId: "../../escape" }),
        size: await run(["true", "x".repeat(200_000)]),
      };
      const answers = Object.fromEntries(Object.entries(starts).map(([name, end]) => [name, end.startError]));
      assert.deepEqual(answers, {
        missing: {
          code: "ENOENT",
          message: 'The program "no-such-program-anywhere" was not found in PATH; check its name, or install it.',
        },
        missingPath: { code: "ENOENT", message: 'The program "./no-such-file" does not exist.' },
        mode: { code: "EACCES", message: 'The program "./not-executable" may not be executed; check its mode.' },
        directory: { code: "EACCES", message: '"./folder" is not a program: it is no file.' },
        interpreter: {
          code: "ENOENT",
          message:
            'The script "./no-interpreter" wants the interpreter "/no/such/interpreter", which can\'t be run (ENOENT).',
        },
        cwd: { code: "ENOENT", message: `The folder "${join(folder, "gone")}" to run in does not exist.` },
        cwdFile: {
          code: "ENOTDIR",
          message: `"${join(folder, "not-executable")}" is not a folder; a command needs a folder to run in.`,
        },
        nul: { code: "EINVAL", message: "The command holds a NUL byte, which no program can be given; remove it." },
        empty: { code: "EINVAL", message: "The name of the program is empty; give the program to run." },
        name: { code: "EINVAL", message: 'An environment name has letters, digits and "_" only; got "A=B".' },
        value: { code: "EINVAL", message: "The environment variable A holds a NUL byte; remove it." },
        id: {
          code: "EINVAL",
          message: 'An execution id has letters, digits, ".", "_" and "-" only; got "../../escape".',
        },
        size: {
          code: "E2BIG",
          message:
            'The program "true" was given more arguments and environment than the system takes; write the data to a file instead.',
        },
      });
      for (const end of Object.values(starts)) {
        assert.deepEqual([end.exitCode, end.killedBy, end.stoppedBy, end.stop], [null, null, null, null]);
      }
      assert.deepEqual(runsIn(join(folder, "run")), []);
    });

    test("a signal that has fired already starts nothing [E4]", async (t) => {
      const { run, folder } = await openBench(t, { sandbox: mode });
      const end = await run(["touch", join(folder, "touched")], { signal: AbortSignal.abort() });
      assert.deepEqual([end.stoppedBy, end.exitCode, end.startError], ["signal", null, null]);
      assert.equal(existsSync(join(folder, "touched")), false);
      await end.discard();
    });

    test("a cancel at any moment of the start leaves nothing [E4]", async (t) => {
      const { run, folder } = await openBench(t, { sandbox: mode });
      const ends = Array.from({ length: 20 }, (_, index) => {
        const controller = new AbortController();
        setTimeout(() => controller.abort(), index / 2);
        return run(["sh", "-c", `sleep 300 # ${folder}`], { signal: controller.signal });
      });
      for (const end of await Promise.all(ends)) {
        assert.equal(end.stoppedBy, "signal");
        assert.deepEqual(end.stop?.survivors ?? [], []);
      }
      assert.deepEqual(commandsWith(folder), []);
    });

    test("commands of one execution run side by side, and stopping one spares the other [E4]", async (t) => {
      const { run } = await openBench(t, { sandbox: mode });
      const controller = new AbortController();
      const isUp = Promise.withResolvers<void>();
      const first = run(["sh", "-c", "echo up; exec sleep 300"], {
        executionId: "call_same",
        signal: controller.signal,
        onOutput: () => isUp.resolve(),
      });
      await isUp.promise;
      const second = run(["sh", "-c", "echo on; sleep 0.3; echo $DECKHAND_EXECUTION"], {
        executionId: "call_same",
        onOutput: () => controller.abort(),
      });
      assert.equal((await first).stoppedBy, "signal");
      const end = await second;
      assert.deepEqual([end.exitCode, textOf(end.stdout)], [0, "on\ncall_same.2\n"]);
    });

    test("after a call no listener is left on its signal and no timer keeps the process [E4]", async (t) => {
      const { run } = await openBench(t, { sandbox: mode });
      const { signal } = new AbortController();
      let listeners = 0;
      const add = signal.addEventListener.bind(signal);
      const remove = signal.removeEventListener.bind(signal);
      signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args));
      signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args));
      // The pause of `eventually` is a timer of its own, but not while it asks.
      const resources = (): string[] =>
        process.getActiveResourcesInfo().filter((name) => /^(Timeout|ProcessWrap)$/.test(name));
      const before = resources();
      await run(["true"], { signal, wallMs: 60_000, idleMs: 60_000 });
      assert.equal(listeners, 0);
      // Node lets go of an ended process a little later; a limit left behind would stay for a minute.
      await eventually(() => resources().length === before.length, "nothing is left", 2000);
    });
  });
}

test("a launcher that does not leave when its command has ended is ended [E4]", inMode("require"), async (t) => {
  const bench = await openBench(t, { sandbox: "require" });
  const mark = `launcher-${process.pid}-${Date.now()}`;
  const script = `echo up; until [ -e go ]; do sleep 0.02; done`;
  const up = Promise.withResolvers<void>();
  const run = bench.run(["/bin/sh", "-c", script, mark], { onOutput: () => up.resolve() });
  await up.promise;
  const outer = livingProcesses()
    .filter(({ command }) => command.includes("bwrap") && command.includes(mark))
    .map(({ pid }) => pid);
  assert.notDeepEqual(outer, []);
  const launcher = Math.min(...outer);
  process.kill(launcher, "SIGSTOP");
  writeFileSync(join(bench.folder, "go"), "");
  assert.equal((await run).exitCode, 0);
  await eventually(() => !isRunning(launcher), "the launcher is gone");
});

test("output files and their folder are for us alone [G7]", async (t) => {
  const { run } = await openBench(t);
  const end = await run(["echo", "private"]);
  const modesOf = [end.stdout.path, end.stderr.path, join(end.stdout.path, ".."), join(end.stdout.path, "../..")];
  assert.deepEqual(
    modesOf.map((path) => (statSync(path).mode & 0o777).toString(8)),
    ["600", "600", "700", "700"],
  );
});

test("a childless command is not searched for what it left, but still stopped whole [E4]", async (t) => {
  const { run } = await openBench(t, { sandbox: "auto" });
  const end = await run(["sh", "-c", "echo quick"], { childless: true });
  assert.deepEqual([end.exitCode, end.stop, textOf(end.stdout)], [0, null, "quick\n"]);
  const stopped = await run(["sh", "-c", "sleep 300 & wait"], { childless: true, wallMs: 100 });
  assert.deepEqual([stopped.stoppedBy, stopped.stop?.survivors], ["wall", []]);
});

test("an unreadable folder to run in is refused by name [E4]", userLane(), async (t) => {
  const { run, folder } = await openBench(t);
  const closed = join(folder, "closed");
  mkdirSync(closed);
  chmodSync(closed, 0);
  const end = await run(["true"], { cwd: closed });
  assert.deepEqual(end.startError, {
    code: "EACCES",
    message: `The folder "${closed}" to run in may not be entered.`,
  });
});

test("too many open files is a value, and the runtime goes on [E4]", async (t) => {
  const { run } = await openBench(t);
  const script = `${JSON.stringify(process.execPath)} ${JSON.stringify(fixture("process/few-files.ts"))}`;
  const end = await run(["sh", "-c", `ulimit -n 64; exec ${script}`]);
  assert.equal(textOf(end.stderr), "");
  assert.deepEqual(JSON.parse(textOf(end.stdout)), ["EMFILE", 0]);
});

test("when the runtime closes, its commands are stopped, and later ones are not started [E4]", async (t) => {
  const { run, processes, folder } = await openBench(t);
  const running = run(["sh", "-c", `sleep 300 & wait # ${folder}`]);
  await new Promise((resolve) => setTimeout(resolve, 50));
  await processes.close();
  const end = await running;
  assert.deepEqual([end.stoppedBy, end.stop?.survivors], ["signal", []]);
  assert.deepEqual(commandsWith(folder), []);
  assert.equal((await run(["true"])).startError?.code, "CLOSED");
});
