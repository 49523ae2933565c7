import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { until } from "../support/runtime.ts";
import { onePixel } from "./one-pixel.ts";
import { countProcesses, uniqueSeconds, untilProcesses } from "./processes-named.ts";
import { openMachine, type Ended, type Machine, type RunOptions, type Started } from "./run-deckhand.ts";

interface Scripted extends Machine {
  put(name: string, content: string | Buffer): Promise<void>;
  /** `deckhand run … --model script:script.json` */
  task(args: readonly string[], options?: RunOptions): Promise<Ended>;
  begin(args: readonly string[], options?: RunOptions): Started;
}

async function openScripted(t: TestContext, script: unknown): Promise<Scripted> {
  const machine = await openMachine(t);
  const put = (name: string, content: string | Buffer): Promise<void> =>
    writeFile(join(machine.workdir, name), content);
  await put("script.json", JSON.stringify(script));
  const words = (args: readonly string[]): string[] => ["run", ...args, "--model", "script:script.json"];
  return {
    ...machine,
    put,
    begin: (args, options) => machine.start(words(args), options),
    task: (args, options) => machine.run(words(args), options),
  };
}

const bash = (command: string): unknown => ({ calls: [{ tool: "bash", input: { command } }] });

describe("the task [L2]", () => {
  for (const { name, args, stdin, said } of [
    { name: "is the argument", args: ["do this"], stdin: "", said: "do this" },
    { name: "is stdin", args: [], stdin: "do that\n", said: "do that" },
    { name: "is stdin by a dash", args: ["-"], stdin: "do those", said: "do those" },
    {
      name: "is the argument about stdin",
      args: ["sum it up"],
      stdin: "1\n2",
      said: "sum it up\n\n<stdin>\n1\n2\n</stdin>",
    },
  ]) {
    test(name, async (t) => {
      const machine = await openScripted(t, ["{{last_user}}"]);
      const { code, stdout } = await machine.task(args, { stdin });
      assert.deepEqual({ code, stdout }, { code: 0, stdout: `${said}\n` });
    });
  }

  test("is missing", async (t) => {
    const machine = await openScripted(t, ["Never."]);
    const { code, stdout, stderr } = await machine.task([]);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
    assert.equal(stderr, 'deckhand: Say what to do: deckhand run "run the tests", or pipe the task into stdin.\n');
  });
});

test("stdout gets the answer and nothing else, stderr what happens; --quiet leaves that out [L2]", async (t) => {
  const machine = await openScripted(t, [
    { text: "I look.", calls: [{ tool: "read", input: { file_path: "script.json" } }] },
    "It **is** so.",
  ]);
  const loud = await machine.task(["look"]);
  assert.equal(loud.stdout, "It **is** so.\n");
  assert.match(loud.stderr, /I look\.[\s\S]*read script\.json[\s\S]*2 turns · 1 call/);
  const { code, stdout, stderr } = await machine.task(["look", "--quiet"]);
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "It **is** so.\n", stderr: "" });
});

test("--json streams every event, the end last [L2]", async (t) => {
  const machine = await openScripted(t, [{ calls: [{ tool: "read", input: { file_path: "script.json" } }] }, "Done."]);
  const { code, stdout } = await machine.task(["look", "--json"]);
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.equal(code, 0);
  const types = events.map(({ type }) => type);
  for (const type of ["run:started", "turn:started", "call:added", "call:settled", "reply:text", "reply:finished"]) {
    assert.ok(types.includes(type), `${type} in ${types.join()}`);
  }
  const end = events.at(-1)!;
  assert.deepEqual(
    [end["type"], end["state"], end["text"], end["failure_kind"]],
    ["run:ended", "answered", "Done.", null],
  );
  assert.equal((end["statistics"] as { calls: number }).calls, 1);
});

describe("a limit ends the task with 1 and says so [L1]", () => {
  const endless = {
    at_end: "loop",
    model: { price: { input: 10, output: 10, cache_read: 0, cache_write: 0 } },
    turns: [{ calls: [{ tool: "list_files", input: {} }], usage: { input_tokens: 100_000, output_tokens: 1 } }],
  };
  test("--max-turns", async (t) => {
    const machine = await openScripted(t, endless);
    const { code, stderr } = await machine.task(["go", "--max-turns", "2", "--json"]);
    assert.equal(code, 1, stderr);
    const end = JSON.parse(
      (await machine.task(["go", "--max-turns", "2", "--json"])).stdout.trimEnd().split("\n").at(-1)!,
    );
    assert.deepEqual([end.state, end.statistics.turns], ["max_turns", 2]);
    const once = await machine.task(["go", "--max-turns", "1"]);
    assert.match(
      once.stderr,
      /^Reached the limit of 1 turn \(limits\.max_turns\)\.\ndeckhand run -c "go on" continues\.$/m,
    );
  });
  test("--max-cost", async (t) => {
    const machine = await openScripted(t, endless);
    const { code, stdout } = await machine.task(["go", "--max-cost", "1.5", "--json"]);
    const end = JSON.parse(stdout.trimEnd().split("\n").at(-1)!);
    assert.deepEqual([code, end.state, end.statistics.turns], [1, "max_cost", 2]);
  });
});

test("wrong options are said in one sentence, with 2 [L2]", async (t) => {
  const machine = await openScripted(t, ["Never."]);
  await machine.put("text.png", "no picture");
  await machine.put("dot.png", onePixel);
  for (const [args, sentence] of [
    [["--max-turns", "0"], '--max-turns takes a whole number from 1 on; got "0".'],
    [["--max-cost", "free"], '--max-cost takes a number greater than 0; got "free".'],
    [["--mode", "fast"], '--mode is one of ask, accept-edits, auto, plan, never; got "fast".'],
    [
      ["--append-system-prompt", "a", "--append-system-prompt-file", "b"],
      "--append-system-prompt and --append-system-prompt-file say the same: leave one of them out.",
    ],
    [["--append-system-prompt-file", "none.md"], /^--append-system-prompt-file none\.md can't be read: ENOENT/],
    [
      ["--append-system-prompt-file", "/dev/zero"],
      "--append-system-prompt-file /dev/zero has more than 1 MB; shorten it.",
    ],
    [["--append-system-prompt-file", "dot.png"], "--append-system-prompt-file dot.png is not UTF-8 text."],
    [["--image", "none.png"], /^--image \S*none\.png does not exist\.$/],
    [["--image", "text.png"], /^--image \S*text\.png is named like a picture and holds none: /],
    [["--image", "script.json"], /^--image \S*script\.json is no picture that models take: /],
    [["--session", "zzzz"], /^There is no session in \S+ yet: start one first\.$/],
  ] as const) {
    const { code, stdout, stderr } = await machine.task(["go", ...args]);
    const told = stderr.trimEnd().replace(/^deckhand: /, "");
    assert.deepEqual({ args, code, stdout }, { args, code: 2, stdout: "" });
    if (typeof sentence === "string") assert.equal(told, sentence);
    else assert.match(told, sentence);
  }
});

test("@file in the task brings the file along, and what stdin says does not [L2]", async (t) => {
  const machine = await openScripted(t, ["{{last_user}}"]);
  await machine.put("fence.txt", "the words of the fence");
  await machine.put("gate.txt", "the words of the gate");
  const both = await machine.task(["explain @fence.txt and @gone.txt"], { stdin: "as in @gate.txt" });
  assert.equal(both.code, 0, both.stderr);
  assert.match(
    both.stdout,
    /^explain @fence\.txt and @gone\.txt\n[\s\S]*as in @gate\.txt\n[\s\S]*the words of the fence/,
  );
  assert.doesNotMatch(both.stdout, /the words of the gate/);
  assert.match(both.stderr, /^@gone\.txt is not here; your words are sent without it\.$/m);
  const piped = await machine.task([], { stdin: "explain @gate.txt" });
  assert.match(piped.stdout, /the words of the gate/);
});

test("--image shows the model a picture, and one that takes none says so [L2]", async (t) => {
  const machine = await openScripted(t, { model: { accepts_images: true }, turns: ["Seen."] });
  await machine.put("dot.png", onePixel);
  assert.equal((await machine.task(["look", "--image", "dot.png"])).stdout, "Seen.\n");
  await machine.put("script.json", JSON.stringify({ model: { accepts_images: false }, turns: ["Seen."] }));
  const { code, stderr } = await machine.task(["look", "--image", "dot.png"]);
  assert.equal(code, 2);
  assert.match(stderr, /^deckhand: The model script:\S+ takes no pictures; leave --image out\.$/m);
});

test("--continue and --session go on with a conversation; two processes cannot have one at once [L2]", async (t) => {
  const machine = await openScripted(t, [
    "First.",
    { text: "Second.", delay_ms: 0 },
    "Third.",
    { text: "", delay_ms: 600_000 },
  ]);
  assert.equal((await machine.task(["a", "--continue"])).stdout, "First.\n");
  assert.equal((await machine.task(["b", "--continue"])).stdout, "Second.\n");
  const [session] = JSON.parse((await machine.run(["sessions", "--json"])).stdout) as { id: string }[];
  assert.equal((await machine.task(["c", "--session", session!.id.slice(-8)])).stdout, "Third.\n");

  const holder = machine.begin(["d", "--continue", "--json"]);
  await until("it waits for the model", () => holder.stdout().includes('"turn:started"'));
  const { code, stdout, stderr } = await machine.task(["e", "--session", session!.id]);
  assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
  assert.match(stderr, new RegExp(`^deckhand: The session ${session!.id} is in use by process ${holder.child.pid} `));
  holder.child.kill("SIGINT");
  assert.equal((await holder.ended).code, 130);
});

test("without a person what needs a yes is refused, and the model hears why [L8]", async (t) => {
  const machine = await openScripted(t, [
    bash("touch made"),
    { ...(bash("rm -rf made") as object), expect: { tool_result: { is_error: true } } },
    { text: "Refused.", expect: { tool_result: { is_error: true } } },
  ]);
  const { code, stdout } = await machine.task(["go"]);
  assert.deepEqual({ code, stdout }, { code: 0, stdout: "Refused.\n" });
  const calls = JSON.parse((await machine.run(["calls", "--json"])).stdout) as { error_type: string }[];
  assert.deepEqual(
    calls.map(({ error_type: type }) => type),
    ["denied", "denied"],
  );
});

test("--yes-danger says yes in advance, but not from inside a tool call [G8]", async (t) => {
  const machine = await openScripted(t, [bash("rm -rf precious"), "Gone."]);
  await machine.put("precious", "gold");
  const inside = await machine.task(["go", "--yes-danger", "delete.recursive"], { env: { DECKHAND_EXECUTION: "x" } });
  assert.equal(inside.code, 3);
  // Danger is one thing, leave to run commands at all another.
  await mkdir(join(machine.env["XDG_CONFIG_HOME"]!, "deckhand"), { recursive: true });
  const settings = { permissions: { allow: ["bash"] } };
  await writeFile(join(machine.env["XDG_CONFIG_HOME"]!, "deckhand", "deckhand.json"), JSON.stringify(settings));
  assert.equal(await stateAfter(machine, ["go"]), "cancelled");
  assert.equal(await stateAfter(machine, ["go", "--yes-danger", "rm -rf precious"]), "completed");
});

async function stateAfter(machine: Scripted, args: readonly string[]): Promise<string | undefined> {
  assert.equal((await machine.task(args)).stdout, "Gone.\n");
  const [call] = JSON.parse((await machine.run(["calls", "--json"])).stdout) as { state: string }[];
  return call?.state;
}

test("with --inbox a question waits, and `inbox answer` of another process answers it [L7]", async (t) => {
  const machine = await openScripted(t, [
    { calls: [{ tool: "ask_user", input: { question: "Which?", options: ["red", "blue"] } }] },
    "{{last_result}}",
  ]);
  const running = machine.begin(["ask", "--inbox"]);
  const entry = await until(
    "the question waits",
    async () => {
      const entries = JSON.parse((await machine.run(["inbox", "--json"])).stdout) as { id: string }[];
      return entries[0];
    },
    30_000,
  );
  const answered = await machine.run(["inbox", "answer", entry.id, "--option", "2"]);
  assert.equal(answered.code, 0, answered.stderr);
  const { code, stdout } = await running.ended;
  assert.deepEqual({ code, stdout }, { code: 0, stdout: "User selected: blue\n" });
});

describe("a signal stops the call and ends the task [L2]", { concurrency: 2 }, () => {
  for (const [signal, expected] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const) {
    test(`${signal} with ${expected}`, async (t) => {
      const seconds = uniqueSeconds();
      const machine = await openScripted(t, [bash(`sleep ${seconds}`), "Never."]);
      const running = machine.begin(["wait"]);
      await untilProcesses(seconds, 1);
      running.child.kill(signal);
      const { code, stdout } = await running.ended;
      assert.deepEqual({ code, stdout }, { code: expected, stdout: "" });
      assert.equal(countProcesses(seconds), 0);
    });
  }
});

test("a reader that leaves early is no crash [L2]", async (t) => {
  const machine = await openScripted(t, [{ calls: [{ tool: "list_files", input: {} }] }, "Done."]);
  for (const args of [
    ["go", "--quiet"],
    ["go", "--json"],
  ]) {
    const running = machine.begin(args);
    running.child.stdout.destroy();
    const { code, stderr } = await running.ended;
    assert.deepEqual({ args, code, stderr }, { args, code: 0, stderr: "" });
  }
});

test("--mode plan lets nothing be changed [L2]", async (t) => {
  const machine = await openScripted(t, [
    { calls: [{ tool: "write", input: { file_path: "a", content: "x" } }] },
    { text: "Refused.", expect: { tool_result: { is_error: true } } },
  ]);
  assert.equal((await machine.task(["write it", "--mode", "plan"])).stdout, "Refused.\n");
});
