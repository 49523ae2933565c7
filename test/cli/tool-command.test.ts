import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { globSync, realpathSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { bwrapWorks } from "../support/require.ts";
import { deckhand, follow, openMachine } from "./run-deckhand.ts";
import { until } from "../support/runtime.ts";

const executionKeys = [
  "id",
  "tool_name",
  "tool_id",
  "tool_input",
  "state",
  "run_phase",
  "result",
  "error",
  "error_type",
  "note",
  "created_at",
  "started_at",
  "completed_at",
  "duration_ms",
  "attempt",
  "timeout_ms",
  "idle_ms",
  "version",
  "route",
  "canary_bucket",
  "door",
  "conversation_id",
  "turn",
  "parent_id",
  "batch_id",
  "output_bytes",
  "stop_cause",
  "stop_proof",
  "killed",
  "survivors",
  "owner",
  "permission",
  "sandbox",
];

test("stdout is the tool's output and a newline at its end, and stderr stays empty when all is well [C6]", async (t) => {
  const machine = await openMachine(t);
  await writeFile(join(machine.workdir, "a.txt"), "one\ntwo\n");
  const ended = await machine.run(["tool", "read", '{"file_path":"a.txt"}']);
  assert.deepEqual(ended, { code: 0, signal: null, stdout: "1\tone\n2\ttwo\n", stderr: "" });
});

test("--json prints the whole execution as one snake_case document [E2]", async (t) => {
  const machine = await openMachine(t);
  await writeFile(join(machine.workdir, "a.txt"), "one\n");
  const { code, stdout, stderr } = await machine.run(["tool", "Read_File", '{"file_path":"a.txt"}', "--json"]);
  assert.equal(code, 0);
  assert.equal(stderr, "");
  const execution = JSON.parse(stdout);
  assert.deepEqual(Object.keys(execution), executionKeys);
  assert.match(execution.id, /^call_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.match(execution.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const { tool_name, tool_id, tool_input, state, run_phase, door, timeout_ms, attempt, error } = execution;
  assert.deepEqual(
    { tool_name, tool_id, tool_input, state, run_phase, door, timeout_ms, attempt, error },
    {
      tool_name: "Read_File",
      tool_id: "read",
      tool_input: { file_path: "a.txt" },
      state: "completed",
      run_phase: "returned",
      door: "cli",
      timeout_ms: 10_000,
      attempt: 1,
      error: null,
    },
  );
  assert.equal(execution.result.output, "1\tone");
});

test("--events prints every event as it happens and the execution last [E8, E9]", async (t) => {
  const machine = await openMachine(t);
  const command = "echo begun; until test -e go; do sleep 0.05; done; echo done";
  const running = machine.start(["tool", "bash", JSON.stringify({ command }), "--events"]);
  await until("the first output is shown while the call runs", () => running.stdout().includes("begun"));
  await writeFile(join(machine.workdir, "go"), "");
  const { code, stdout } = await running.ended;
  assert.equal(code, 0);
  const lines = stdout.trimEnd().split("\n");
  const documents = lines.map((line) => JSON.parse(line));
  const events = documents.slice(0, -1);
  const others = events.filter(({ type }) => type !== "execution:progressed");
  assert.deepEqual(
    others.map(({ type, id }) => [type, id]),
    ["execution:created", "execution:started", "execution:settled"].map((type) => [type, documents.at(-1).id]),
  );
  assert.deepEqual(Object.keys(others[0]), [
    "type",
    "seq",
    "at",
    "id",
    "tool_name",
    "tool_id",
    "tool_input",
    "door",
    "conversation_id",
    "batch_id",
  ]);
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  );
  assert.deepEqual(Object.keys(documents.at(-1)), executionKeys);
  assert.equal(documents.at(-1).state, "completed");
});

describe("the input", () => {
  const input = '{"file_path":"a.txt"}';
  const ways: [string, string[], string | undefined][] = [
    ["as an argument", ["tool", "read", input], undefined],
    ["piped", ["tool", "read"], input],
    ["piped, with -", ["tool", "read", "-"], input],
    ["piped, with a byte order mark", ["tool", "read", "-"], `\ufeff${input}`],
    ["from a file", ["tool", "read", "--input", "input.json"], undefined],
    ["from stdin by --input", ["tool", "read", "--input", "-"], input],
  ];
  test("comes as an argument, from stdin or from a file", async (t) => {
    const machine = await openMachine(t);
    await writeFile(join(machine.workdir, "a.txt"), "one");
    await writeFile(join(machine.workdir, "input.json"), input);
    for (const [way, args, stdin] of ways) {
      const { code, stdout, stderr } = await machine.run(args, stdin === undefined ? {} : { stdin });
      assert.deepEqual({ way, code, stdout, stderr }, { way, code: 0, stdout: "1\tone\n", stderr: "" });
    }
  });

  test("is {} when it is left out, also when stdin is a pipe that nobody writes to", async (t) => {
    const machine = await openMachine(t);
    const { code, stderr } = await machine.run(["tool", "list_files"], { stdin: null });
    assert.equal(stderr, 'Nothing came on stdin, so the input is {}. Use "-" to wait for it longer.\n');
    assert.equal(code, 0);
  });

  test("that can't be read is wrong use", async (t) => {
    const machine = await openMachine(t);
    const cases: [string[], string | Buffer, RegExp][] = [
      [["--input", "none.json"], "", /^deckhand: The input can't be read from none\.json: ENOENT.*\n$/],
      [["--input", "."], "", /^deckhand: The input can't be read from \.: EISDIR.*\n$/],
      [["--input", "/dev/zero"], "", /^deckhand: The input from \/dev\/zero is larger than 64 MB; send less\.\n$/],
      [
        ["-"],
        Buffer.from([0x22, 0xff, 0x22]),
        /^deckhand: The input from stdin is not UTF-8 text; convert it first\.\n$/,
      ],
      [["{}", "--input", "x"], "", /^deckhand: The input was given twice, .* leave one of them out\.\n$/],
    ];
    for (const [args, stdin, sentence] of cases) {
      const { code, stdout, stderr } = await machine.run(["tool", "read", ...args], { stdin });
      assert.match(stderr, sentence);
      assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
    }
  });
});

test("an input nested too deep to print is still refused in a sentence and a document [E6]", async (t) => {
  const machine = await openMachine(t);
  const stdin = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const text = await machine.run(["tool", "read", "-"], { stdin });
  assert.equal(text.code, 2);
  assert.match(text.stderr, /^deckhand: Wrong parameters: the input: expected object, got an array\.\n/);
  const json = await machine.run(["tool", "read", "-", "--json"], { stdin });
  assert.equal(json.code, 2);
  assert.equal(JSON.parse(json.stdout).tool_input, "[can't be shown as JSON: nested too deep, or in a circle]");
});

test("a command that fails prints its output on stdout, the reason on stderr, and ends with 1", async (t) => {
  const machine = await openMachine(t);
  const { code, stdout, stderr } = await machine.run(["tool", "bash", '{"command":"echo out; echo err >&2; exit 3"}']);
  assert.equal(code, 1);
  assert.match(stdout, /out/);
  assert.match(stderr, /^deckhand: .*3.*\n/);
});

test("--quiet leaves only the error", async (t) => {
  const machine = await openMachine(t);
  const { code, stderr } = await machine.run(["tool", "raed", "{}", "--quiet"]);
  assert.deepEqual({ code, stderr }, { code: 2, stderr: "deckhand: Unknown tool: raed.\n" });
});

test("--timeout ends the call with 124 and says how that was proved [E3, E4]", async (t) => {
  const machine = await openMachine(t);
  const { code, stderr } = await machine.run(["tool", "bash", '{"command":"sleep 300 & sleep 300"}', "--timeout", "3"]);
  assert.equal(code, 124);
  assert.match(
    stderr,
    /^deckhand: Timeout after 3 s\.\nStopped after .+\. (?:All its processes are gone: |No remaining process found \().+\.\n/,
  );
});

test("--idle ends a call that shows no sign of life with 124 [E3]", async (t) => {
  const machine = await openMachine(t);
  const { code, stderr } = await machine.run(["tool", "bash", '{"command":"echo a; sleep 300"}', "--idle", "0.5"]);
  assert.equal(code, 124);
  assert.match(stderr, /^deckhand: Timeout: no output for 0\.5 s\.\n/);
});

test("a time limit above the configured maximum is cut, and that is said [E3]", async (t) => {
  const machine = await openMachine(t);
  const env = { DECKHAND_LIMITS_MAX_TIMEOUT_MS: "500" };
  const { code, stderr } = await machine.run(["tool", "bash", '{"command":"sleep 300"}', "--timeout", "60"], { env });
  assert.equal(code, 124);
  assert.match(stderr, /The time limit was cut to 500 ms, the most that the configuration allows\.\n$/);
});

test("limits that are no positive numbers are wrong use", async (t) => {
  const machine = await openMachine(t);
  for (const given of ["0", "abc", "Infinity"]) {
    const { code, stderr } = await machine.run(["tool", "bash", "{}", "--timeout", given]);
    const sentence = `deckhand: Invalid value "${given}" for --timeout: expected a number of seconds greater than 0, such as 1.5.\n`;
    assert.deepEqual({ code, stderr }, { code: 2, stderr: sentence });
  }
});

test("the workdir comes from the flag, DECKHAND_WORKDIR, TOOL_WORKDIR, or is the current folder", async (t) => {
  const machine = await openMachine(t);
  const other = await openMachine(t);
  await writeFile(join(machine.workdir, "here"), "");
  await writeFile(join(other.workdir, "there"), "");
  const list = ["tool", "list_files", '{"depth":1}'];
  const listed = async (args: string[], env: Record<string, string>): Promise<string> =>
    (await machine.run([...args, ...list], { env })).stdout;
  assert.match(await listed([], {}), /here/);
  assert.match(await listed([], { TOOL_WORKDIR: other.workdir }), /there/);
  assert.match(await listed([], { TOOL_WORKDIR: machine.workdir, DECKHAND_WORKDIR: other.workdir }), /there/);
  assert.match(await listed(["--workdir", other.workdir], { DECKHAND_WORKDIR: machine.workdir }), /there/);
});

test("a hint is printed as it is: what is meant to be copied gets no full stop", async (t) => {
  const machine = await openMachine(t);
  await writeFile(join(machine.workdir, "a.txt"), "the quick brown fox\n");
  const input = { file_path: "a.txt", old_string: "the quick brown  fox", new_string: "" };
  const { code, stderr } = await machine.run(["tool", "edit", JSON.stringify(input)]);
  assert.equal(code, 1);
  assert.match(stderr, /^deckhand: .*\.\n[^]*\n1\tthe quick brown fox\n$/);
});

test("a background process that ends with the command is not left to be looked for", async (t) => {
  const machine = await openMachine(t);
  const input = '{"command":"sleep 300","background":true}';
  const { code, stdout, stderr } = await machine.start(["tool", "bash", input]).ended;
  assert.equal(code, 0);
  assert.match(stdout, /^Background process /);
  assert.equal(
    stderr,
    'The background process ended with this command; "keep_running": true in the input lets it go on.\n',
  );
  assert.equal((await machine.start(["tool", "bash", input, "--quiet"]).ended).stderr, "");
});

const onLinux = process.platform === "linux" ? {} : { skip: "macOS brings its own sandbox" };
test(
  "that there is no sandbox is noted once per folder and day, and only of calls that start a process",
  onLinux,
  async (t) => {
    const machine = await openMachine(t);
    const call = async (workdir: string, tool = "bash", input = '{"command":"true"}'): Promise<string> => {
      const words = [...deckhand, "tool", tool, input, "--workdir", workdir];
      const env = { ...machine.env, DECKHAND_SANDBOX: "auto" };
      if (!bwrapWorks) return (await follow(spawn(process.execPath, words, { env }), "").ended).stderr;
      // The machine has bubblewrap, but the command does not see it.
      const hidden = realpathSync("/usr/bin/bwrap");
      const view = ["--dev-bind", "/", "/", "--ro-bind", "/dev/null", hidden, process.execPath];
      const child = spawn("bwrap", [...view, ...words], { env });
      return (await follow(child, "").ended).stderr;
    };
    const note = "deckhand: note: Commands run without a sandbox: bubblewrap is not installed. See deckhand doctor.\n";
    assert.equal(await call(machine.workdir, "list_files", "{}"), "");
    assert.equal(await call(machine.workdir), note);
    assert.equal(await call(machine.workdir), "");
    const other = join(machine.workdir, "other");
    await mkdir(other);
    assert.equal(await call(other), note);
    assert.equal(await call(machine.workdir), "");
    const [notedAt] = globSync(`${machine.env["XDG_STATE_HOME"]}/**/sandbox-note`);
    assert.ok(typeof notedAt === "string");
    await writeFile(notedAt, "2026-01-31");
    assert.deepEqual([await call(machine.workdir), await call(other)].sort(), ["", note]);
  },
);

test("a call can't harm the records it is written to [G1]", async (t) => {
  const machine = await openMachine(t);
  const { code, stderr } = await machine.run(["tool", "write", '{"file_path":".deckhand/deckhand.db","content":"x"}']);
  assert.equal(code, 1);
  assert.match(stderr, /^deckhand: \.deckhand\/deckhand\.db belongs to Deckhand's own records/);
  const [call] = JSON.parse((await machine.run(["calls", "--json"])).stdout);
  assert.deepEqual([call.state, call.error_type], ["failed", "access"]);
});

test("an unusable pattern is wrong use", async (t) => {
  const machine = await openMachine(t);
  assert.equal((await machine.run(["tool", "glob", '{"pattern":""}'])).code, 2);
});
