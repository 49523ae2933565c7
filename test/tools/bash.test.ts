import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { createProcesses } from "../../src/process/processes.ts";
import { createBashTool } from "../../src/tools/shell/bash.ts";
import { commandsWith } from "../process/support.ts";
import { lane } from "../support/require.ts";
import { mountTmpfs, tmpfsAvailable } from "../support/tmpfs.ts";
import { makeFiles, runTool } from "./run-tool.ts";
import { openShell } from "./shell-parts.ts";

test("a command that works gives its output and its exit code [C1]", async (t) => {
  const { parts, workdir, listen } = await openShell(t);
  await makeFiles(workdir, { "hello.txt": "hello\n" });
  const bash = createBashTool(parts);
  const { ok, output, data } = await runTool(bash, { command: "cat hello.txt; [[ -n x ]] && pwd" }, listen());
  assert.deepEqual(
    { ok, output, data },
    { ok: true, output: `hello\n${workdir}\n`, data: { exit_code: 0, stdout: `hello\n${workdir}\n`, stderr: "" } },
  );
  const silent = await runTool(bash, { command: "true" }, listen());
  assert.deepEqual([silent.ok, silent.output], [true, "(no output)"]);
});

test("stdout and stderr are told apart, and a failing command keeps both [C1]", async (t) => {
  const { parts, listen } = await openShell(t);
  const result = await runTool(createBashTool(parts), { command: "echo out; echo err >&2; exit 3" }, listen());
  assert.ok(!result.ok);
  assert.deepEqual([result.error, result.errorType], ["Command exited with code 3", "exit_code"]);
  assert.equal(result.output, "out\n[stderr]\nerr\n");
  assert.deepEqual(result.data, { exit_code: 3, stdout: "out\n", stderr: "err\n" });
});

test("a command that is not there comes with a hint [C1]", async (t) => {
  const { parts, listen } = await openShell(t);
  const result = await runTool(createBashTool(parts), { command: "no-such-command-here" }, listen());
  assert.ok(!result.ok);
  assert.deepEqual(
    [result.errorType, result.hint],
    ["exit_code", "A program was not found: check its name, or install it."],
  );
  assert.match(result.output!, /no-such-command-here: command not found/);
});

test("death by somebody else's signal is named [C1]", async (t) => {
  const { parts, listen } = await openShell(t);
  const result = await runTool(createBashTool(parts), { command: "kill -SEGV $$" }, listen());
  assert.ok(!result.ok);
  assert.deepEqual([result.error, result.errorType], ["Command was killed by SIGSEGV", "signal"]);
});

test("no profile and no rc file has a say [C1]", async (t) => {
  const { parts, workdir, listen } = await openShell(t);
  await makeFiles(workdir, { ".bashrc": "echo rc\n", ".bash_profile": "echo profile\n", ".profile": "echo profile\n" });
  const context = { ...listen(), env: { PATH: process.env["PATH"]!, HOME: workdir } };
  assert.equal((await runTool(createBashTool(parts), { command: "echo mine" }, context)).output, "mine\n");
});

test("long output shows its head and its tail, and the whole is in a file [C1 L5]", async (t) => {
  const { parts, listen } = await openShell(t);
  const context = listen();
  const result = await runTool(createBashTool(parts), { command: "seq 1 100000" }, context);
  assert.ok(result.ok);
  assert.ok(result.output.length < 31_000);
  assert.match(result.output, /^1\n2\n3\n/);
  assert.match(result.output, /\n99999\n100000\n/);
  assert.match(result.output, /\[[\d,]+ characters left out\]/);
  assert.equal(result.files?.length, 1);
  assert.ok(result.output.includes(result.files[0]!));
  const whole = await readFile(result.files[0]!, "utf8");
  assert.equal(whole.trimEnd().split("\n").length, 100_000);
  assert.ok(result.files[0]!.endsWith(`${context.executionId}.stdout.txt`));
});

test("a whole output that can't be kept does not make the command fail [C1]", async (t) => {
  const { parts, listen } = await openShell(t);
  const keepOutput = (): Promise<string> => Promise.reject(new Error("the disk is full"));
  const result = await runTool(createBashTool({ ...parts, keepOutput }), { command: "seq 1 100000" }, listen());
  assert.ok(result.ok);
  assert.equal(result.files, undefined);
});

test("output that is no text is shown with replacement characters [C1]", async (t) => {
  const { parts, listen } = await openShell(t);
  const result = await runTool(createBashTool(parts), { command: "printf 'a\\377\\376b\\303'" }, listen());
  assert.equal(result.output, "a\uFFFD\uFFFDb\uFFFD");
});

test("a cut never goes through a character [C1 L5]", async (t) => {
  const { parts, listen } = await openShell(t);
  const bash = createBashTool(parts);
  for (const start of ["", "x", "xx", "xxx"]) {
    const command = `printf '%s' '${start}'; for i in {1..20000}; do printf 😀; done`;
    const result = await runTool(bash, { command }, listen());
    assert.ok(result.ok && !result.output.includes("\uFFFD"), `after "${start}"`);
  }
});

test("output without end is stopped, and said so [C1]", async (t) => {
  const { parts, listen } = await openShell(t);
  const context = listen();
  const result = await runTool(createBashTool(parts), { command: "yes" }, context);
  assert.ok(!result.ok);
  assert.equal(result.errorType, "output_limit");
  assert.deepEqual(
    context.reports.map(({ survivors }) => survivors),
    [[]],
  );
});

test("output can be watched while the command runs [E9]", async (t) => {
  const { parts, listen } = await openShell(t);
  const context = listen();
  await runTool(createBashTool(parts), { command: "echo one; sleep 0.2; echo two >&2" }, context);
  assert.deepEqual(context.heard, [
    { stream: "stdout", output: "one\n" },
    { stream: "stderr", output: "two\n" },
  ]);
});

test("a cancel ends the whole tree before the call returns, and the proof is handed on [E4]", async (t) => {
  const { parts, workdir, listen } = await openShell(t);
  const controller = new AbortController();
  const context = listen(controller.signal);
  const command = `setsid sleep 300 & echo up; sleep 300 # ${workdir}`;
  const running = runTool(
    createBashTool(parts),
    { command },
    {
      ...context,
      progress: () => controller.abort(),
    },
  );
  const result = await running;
  assert.ok(!result.ok);
  assert.equal(result.errorType, "cancelled");
  assert.equal(result.output, "up\n");
  assert.deepEqual(
    context.reports.map(({ proof, survivors }) => ({ proof, survivors })),
    [{ proof: "marker", survivors: [] }],
  );
  assert.deepEqual(commandsWith(workdir), []);
});

test("what a command leaves behind is ended, reported, and not waited for [E4]", async (t) => {
  const { parts, listen } = await openShell(t);
  const context = listen();
  const result = await runTool(createBashTool(parts), { command: "sleep 300 & sleep 0.1; echo done" }, context);
  assert.deepEqual([result.ok, result.output], [true, "done\n"]);
  assert.deepEqual(
    context.reports[0]?.killed.map(({ command }) => command),
    ["sleep 300"],
  );
});

test("where there is no bash, sh runs it [C1]", async (t) => {
  const { parts, workdir, listen } = await openShell(t);
  const bin = join(workdir, "bin");
  await mkdir(bin);
  await symlink("/bin/sh", join(bin, "sh"));
  const context = { ...listen(), env: { PATH: bin } };
  const result = await runTool(createBashTool(parts), { command: "echo plain" }, context);
  assert.deepEqual([result.ok, result.output], [true, "plain\n"]);
});

test("whatever a command does to its own output file, the result is what it wrote [C1]", async (t) => {
  const { parts, listen } = await openShell(t);
  const bash = createBashTool(parts);
  const own = 'f=$(readlink /proc/$$/fd/1); d=$(dirname "$f")';
  for (const deed of ['rm "$f"', 'rm -r "$d"', 'mv "$f" "$f.x"; ln -s /etc/passwd "$f"', 'rm "$f"; mkdir "$f"']) {
    const result = await runTool(bash, { command: `${own}; echo before; ${deed}; echo after` }, listen());
    assert.deepEqual([result.ok, result.output], [true, "before\nafter\n"], deed);
  }
});

test("commands that are long, of many lines or full of quotes arrive as they are [C1]", async (t) => {
  const { parts, listen } = await openShell(t);
  const bash = createBashTool(parts);
  const text = `quote ' and " and \\ and $HOME and \`x\`\nsecond line\ttab`;
  const heredoc = `cat <<'EOF'\n${text}\nEOF`;
  assert.equal((await runTool(bash, { command: heredoc }, listen())).output, `${text}\n`);
  const long = await runTool(bash, { command: `: ${"x".repeat(120_000)}\necho long` }, listen());
  assert.equal(long.output, "long\n");
  const tooLong = await runTool(bash, { command: `: ${"x".repeat(200_000)}` }, listen());
  assert.ok(!tooLong.ok);
  assert.equal(tooLong.errorType, "spawn");
});

test("the limit asked for is in seconds or in milliseconds, and odd ones are refused [C1 E3]", async (t) => {
  const { parts } = await openShell(t);
  const bash = createBashTool(parts);
  const limits = (input: object) => {
    const checked = bash.check({ command: "true", ...input });
    return checked.ok ? bash.limits?.(checked.input) : "refused";
  };
  assert.deepEqual(limits({}), {});
  assert.deepEqual(limits({ timeout: 1.5 }), { timeoutMs: 1500 });
  assert.deepEqual(limits({ timeout_ms: 700 }), { timeoutMs: 700 });
  assert.equal(limits({ timeout: 0 }), "refused");
  assert.equal(limits({ timeout: "10" }), "refused");
  assert.equal(limits({ command: "" }), "refused");
  assert.deepEqual(limits({ description: "for people" }), {});
  assert.equal(bash.timeoutMs, 120_000);
  assert.deepEqual([bash.traits.readOnly, bash.traits.risk, bash.traits.replay], [false, "high", "never"]);
});

test("a workdir that has gone is named [C1]", async (t) => {
  const { parts, workdir, listen } = await openShell(t);
  await writeFile(join(workdir, "file"), "");
  const bash = createBashTool(parts);
  const missing = await runTool(bash, { command: "true" }, { ...listen(), workdir: join(workdir, "gone") });
  assert.ok(!missing.ok);
  assert.equal(missing.errorType, "spawn");
  assert.match(missing.error, /The folder ".*gone" to run in does not exist/);
});

test("a command runs in the folder that it is given, inside the workdir only [C1]", async (t) => {
  const { parts, workdir, listen } = await openShell(t);
  await makeFiles(workdir, { "sub/file.txt": "" });
  const bash = createBashTool(parts);
  const inside = await runTool(bash, { command: "pwd", cwd: "sub" }, listen());
  assert.deepEqual([inside.ok, inside.output], [true, `${workdir}/sub\n`]);
  const server = await runTool(bash, { command: "pwd; sleep 300", cwd: "sub", background: true }, listen());
  assert.match(server.output!, /\/workdir\/sub\n$/);
  const refused = { "..": "access", "sub/file.txt": "not_directory", gone: "not_found" };
  for (const [cwd, errorType] of Object.entries(refused)) {
    const result = await runTool(bash, { command: "touch here", cwd }, listen());
    assert.equal(!result.ok && result.errorType, errorType, cwd);
  }
});

test("what only a background process can have is refused without background [C1 C12]", async (t) => {
  const { parts, listen } = await openShell(t);
  const bash = createBashTool(parts);
  for (const input of [{ ready_text: "up" }, { ready_port: 80 }, { keep_running: true }]) {
    const result = await runTool(bash, { command: "sleep 300", ...input }, listen());
    assert.ok(!result.ok);
    const [name] = Object.keys(input);
    assert.deepEqual([result.errorType, result.error], ["invalid_input", `${name} also needs background: true`]);
  }
  assert.ok((await runTool(bash, { command: "true", keep_running: false }, listen())).ok);
});

test("a command that opens its own output once more loses nothing of it [C1]", async (t) => {
  const { parts, listen } = await openShell(t);
  const command = "echo one; echo two >/dev/stdout; echo three; echo four >/dev/stderr";
  const result = await runTool(createBashTool(parts), { command }, listen());
  assert.deepEqual([result.ok, result.output], [true, "one\ntwo\nthree\n[stderr]\nfour\n"]);
});

test("where no pipes can be made, output that the command emptied itself is reported [C1]", async (t) => {
  const { parts, listen, workdir } = await openShell(t);
  const bash = createBashTool(parts);
  assert.ok((await runTool(bash, { command: "true" }, listen())).ok);
  const reserved = (await readdir(join(workdir, "../run"))).find((name) => name.startsWith("private,"))!;
  const pipes = join(workdir, "../run", reserved, "pipes");
  await rm(pipes, { recursive: true });
  await writeFile(pipes, "this is no folder for pipes");
  const command = "echo one; sleep 0.3; echo two >/dev/stdout; echo three";
  const result = await runTool(bash, { command }, listen());
  const note =
    "[The command emptied its own stdout, as `> /dev/stdout` does; what came before is lost. `>&1` and `>&2` are safe.]";
  assert.deepEqual([result.ok, result.output], [true, `two\nthree\n${note}`]);
});

test(
  "a full disk under the output is named, and what was kept is not called whole [C1]",
  lane("tmpfs", tmpfsAvailable()),
  async (t) => {
    const { parts, workdir, listen } = await openShell(t);
    const disk = mountTmpfs(t, "1m");
    const processes = createProcesses({ runFolder: join(disk, "run"), clock: systemClock, sandbox: "off" });
    t.after(() => processes.close());
    const bash = createBashTool({ ...parts, processes, maxOutputBytes: 10_000_000 });
    const result = await runTool(bash, { command: `seq 1 1000000 # ${workdir}` }, listen());
    assert.equal(result.ok, true, "the command itself had no trouble");
    assert.match(result.output, /\[What the full disk took of stdout, /);
    assert.doesNotMatch(result.output, /whole/);
    const lost = /\[The disk is full: the last ([\d,]+) bytes of stdout are lost\]$/.exec(result.output)?.[1];
    assert.equal(Number(lost?.replaceAll(",", "")) + result.outputBytes!, 6_888_896);

    const failed = await runTool(bash, { command: "seq 1 1000000; exit 3" }, listen());
    assert.ok(!failed.ok);
    assert.deepEqual(
      [failed.errorType, failed.error],
      ["disk_full", "Command exited with code 3, and the disk is full"],
    );
    assert.match(failed.hint!, /disk .* has no space left/);

    await writeFile(join(disk, "fill"), Buffer.alloc(2_000_000)).catch(() => {});
    const refused = await runTool(bash, { command: "seq 1 3" }, listen());
    assert.equal(!refused.ok && refused.errorType, "disk_full");
  },
);
