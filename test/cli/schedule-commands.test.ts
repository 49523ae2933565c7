import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/runtime.ts";
import { openMachine, type Ended, type Machine } from "./run-deckhand.ts";

const unserved = "Nothing starts jobs here now: no daemon runs. Start one with `deckhand serve`.\n";
const hello = ["--tool", "bash", "--input", '{"command":"echo hello"}'];

async function add(machine: Machine, name: string, ...args: string[]): Promise<Ended> {
  const ended = await machine.run(["schedule", "add", name, ...args]);
  assert.equal(ended.code, 0, ended.stderr);
  return ended;
}

test("a job is added, listed, shown, run, paused, resumed and removed, and nobody is left in the dark about the daemon [D1]", async (t) => {
  const machine = await openMachine(t);
  const empty = await machine.run(["schedule"]);
  assert.deepEqual([empty.code, empty.stdout], [0, ""]);
  assert.match(empty.stderr, /^No jobs here\. Add one: deckhand schedule add /);

  const added = await add(machine, "greet", "--cron", "30 2 * * *", "--zone", "Europe/Berlin", ...hello);
  assert.match(
    added.stdout,
    /^greet\n {2}does +tool bash \{"command":"echo hello"\}\n {2}when +30 2 \* \* \* Europe\/Berlin\n/,
  );
  assert.match(added.stdout, /\n {2}next +\d{4}-\d\d-\d\d 02:30:00 \+01:00\n/);
  assert.equal(added.stderr, unserved);
  const listed = await machine.run(["schedule", "list"]);
  assert.match(
    listed.stdout,
    /^NAME +WHEN +NEXT +LAST +WHAT\ngreet +30 2 \* \* \* Europe\/Berlin +\d{4}-\S+ 02:30:00 \+01:00 +- /,
  );

  const ran = await machine.run(["schedule", "run", "greet"]);
  assert.deepEqual([ran.code, ran.stdout], [0, "hello\n"]);
  assert.match(ran.stderr, /^greet succeeded after .*\.\n$/);
  const [run] = JSON.parse((await machine.run(["schedule", "history", "greet", "--json"])).stdout) as Record<
    string,
    unknown
  >[];
  assert.deepEqual(
    [run?.["state"], run?.["trigger"], run?.["attempt"], run?.["summary"]],
    ["succeeded", "person", 1, "hello\n"],
  );
  assert.match(String(run?.["due_at"]), /^\d{4}-\d\d-\d\dT.*Z$/);

  const paused = await machine.run(["schedule", "pause", "greet", "--reason", "holidays"]);
  assert.deepEqual([paused.code, paused.stderr], [0, "greet is paused: nothing of it starts until you resume it.\n"]);
  assert.match((await machine.run(["schedule"])).stdout, / paused +succeeded /);
  assert.equal(
    (await machine.run(["schedule", "next", "greet"])).stderr,
    `greet is paused: resume it first.\n${unserved}`,
  );
  const resumed = await machine.run(["schedule", "resume", "greet", "--json"]);
  const document = JSON.parse(resumed.stdout) as Record<string, unknown>;
  assert.deepEqual(
    [document["name"], document["paused"], document["overlap"], document["pause_after_failures"]],
    ["greet", null, "skip", 3],
  );
  assert.deepEqual(document["work"], {
    kind: "tool",
    tool_name: "bash",
    tool_ref: null,
    input: { command: "echo hello" },
  });

  const removed = await machine.run(["schedule", "remove", "greet"]);
  assert.deepEqual([removed.code, removed.stderr], [0, "greet is removed; its history stays.\n"]);
  assert.match((await machine.run(["schedule", "history"])).stdout, /\bgreet +succeeded +person\b/);
  assert.match((await machine.run(["schedule", "history", "greet"])).stdout, /\bgreet +succeeded +person\b/);

  const log = (await machine.run(["log", "--type", "schedule"])).stdout;
  const said = log.split("\n").flatMap((line) => /^\S+ \S+ +schedule +(.*)$/.exec(line)?.[1] ?? []);
  const by = /by (.*)$/.exec(said[0] ?? "")?.[1];
  assert.deepEqual(said, [
    `greet: added by ${by}`,
    "greet: a run began (person)",
    "greet: succeeded",
    `greet: paused by ${by}: holidays`,
    `greet: resumed by ${by}`,
    `greet: removed by ${by}`,
  ]);
});

test("what is wrong is said in one sentence with the right form, and nothing is added [D1]", async (t) => {
  const machine = await openMachine(t);
  await add(machine, "nightly", "--every", "15m", ...hello);
  const prompt = ["--prompt", "hi"];
  const wrong: readonly (readonly [args: readonly string[], told: RegExp])[] = [
    [["x", "--cron", "61 * * * *", ...prompt], /The minute field "61" of the cron .* expected 0-59/],
    [["x", "--cron", "0 0 31 2 *", ...prompt], /never comes: no year has such a date/],
    [["x", "--every", "1h", "--tool", "bash", "--input", "{"], /--input takes JSON/],
    [["x", "--every", "1h", ...prompt, "--retries", "many"], /--retries takes a whole number/],
    [
      ["x", "--every", "1h", ...prompt, "--retries", "1000000"],
      /Expected a number of retries from 0 to 10, got 1000000/,
    ],
    [["x", "--every", "1h", "--zone", "UTC", ...prompt], /--every counts from now, .* leave --zone out/],
    [["x", "--every", "1h", "--missed-window", "0s", ...prompt], /A window of 0 for missed runs .* missed none/],
    [
      ["x", "--every", "1h", "--overlap", "queue", ...prompt],
      /takes skip, queue-one, cancel-old or allow, got "queue"/,
    ],
    [["job_0190b5d0-1c3e-7000-8000-0123456789ab", "--every", "1h", ...prompt], /looks like the id of a job/],
    [["x", "--every", "1h", ...prompt, "-m", "antropic/x"], /no provider "antropic", .* did you mean anthropic/],
    [["x", "--every", "1h", ...prompt, "-m", "script:none.json"], /none\.json can't be read: there is no such file/],
    [["nightly", "--every", "1h", ...prompt], /There is a job named "nightly"/],
  ];
  for (const [args, told] of wrong) {
    const { code, stdout, stderr } = await machine.run(["schedule", "add", ...args]);
    assert.deepEqual([code, stdout], [2, ""], `${args.join(" ")}: ${stderr}`);
    assert.match(stderr, told);
    assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
  }
  for (const command of ["show", "run", "history"]) {
    const { code, stderr } = await machine.run(["schedule", command, "nihgtly"]);
    assert.deepEqual([code, stderr], [2, 'deckhand: There is no job "nihgtly": did you mean "nightly"?\n']);
  }
  for (const args of [[], ["nightly", "--every", "1h"]]) {
    const { code, stderr } = await machine.run(["schedule", "next", ...args]);
    assert.deepEqual(
      [code, stderr],
      [2, "deckhand: Give the name of a job, or --cron, --every or --at: deckhand schedule next [NAME].\n"],
    );
  }
  const jobs = JSON.parse((await machine.run(["schedule", "--json"])).stdout) as { name: string }[];
  assert.deepEqual(
    jobs.map(({ name }) => name),
    ["nightly"],
  );
});

test("a dry run shows the times and adds nothing; next shows what clocks do to them [D1]", async (t) => {
  const machine = await openMachine(t);
  const dry = await machine.run(["schedule", "add", "x", "--every", "90s", "--prompt", "hi", "--dry-run", "--json"]);
  assert.equal(dry.code, 0, dry.stderr);
  const document = JSON.parse(dry.stdout) as { name: string; next: unknown[]; when: object; timeout_ms: number };
  assert.deepEqual([document.name, document.next.length, document.timeout_ms], ["x", 5, 3_600_000]);
  assert.equal((await machine.run(["schedule", "--json"])).stdout.trim(), "[]");
  const next = await machine.run([
    "schedule",
    "next",
    "--cron",
    "30 2 * 3,10 0",
    "--zone",
    "Europe/Berlin",
    "--limit",
    "12",
  ]);
  assert.match(
    next.stdout,
    /03:00:00 \+02:00 {2}\(clocks are set forward past its time: the first moment after that\)\n/,
  );
  assert.match(next.stdout, /02:30:00 \+02:00 {2}\(clocks are set back: the first of the two\)\n/);
});

test("a single time that clocks skip or show twice is marked, when it is looked at, added and kept [D1]", async (t) => {
  const machine = await openMachine(t);
  const skipped = ["--at", "2027-03-28T02:30", "--zone", "Europe/Berlin"];
  const twice = ["--at", "2027-10-31T02:30", "--zone", "Europe/Berlin"];
  const moved = "2027-03-28 03:00:00 +02:00  (clocks are set forward past its time: the first moment after that)\n";
  assert.equal((await machine.run(["schedule", "next", ...skipped])).stdout, moved);
  assert.equal(
    (await machine.run(["schedule", "next", ...twice])).stdout,
    "2027-10-31 02:30:00 +02:00  (clocks are set back: the first of the two)\n",
  );
  assert.equal(
    (await machine.run(["schedule", "next", "--at", "2027-10-31T02:30+01:00", "--zone", "Europe/Berlin"])).stdout,
    "2027-10-31 02:30:00 +01:00\n",
  );
  const added = await add(machine, "once", ...skipped, ...hello);
  assert.ok(added.stdout.includes(`  next          ${moved}`), added.stdout);
  const asked = "  asked for     2027-03-28T02:30 Europe/Berlin\n";
  assert.ok(added.stdout.includes(asked), added.stdout);
  assert.equal((await machine.run(["schedule", "next", "once"])).stdout, moved);
  const shown = (await machine.run(["schedule", "show", "once"])).stdout;
  assert.ok(shown.includes(`  next          ${moved}`) && shown.includes(asked), shown);
  const { when } = JSON.parse((await machine.run(["schedule", "show", "once", "--json"])).stdout) as { when: unknown };
  assert.deepEqual(when, {
    at: "2027-03-28T01:00:00.000Z",
    asked: { text: "2027-03-28T02:30", time_zone: "Europe/Berlin" },
  });
});

test("a model whose key is not here is taken; a rule about a tool that is not here is told, with the nearest [D1]", async (t) => {
  const machine = await openMachine(t);
  const rules = ["--allow", "bsh", "--allow", "bash(ls)", "--allow", "mcp_x", "--deny", "*"];
  const prompt = ["--prompt", "hi", "-m", "anthropic/some-model"];
  const { stderr } = await add(machine, "x", "--every", "1h", ...prompt, ...rules);
  const warning = 'The rule "bsh" is about no tool that is here: there is none named "bsh". Did you mean bash?';
  assert.equal(stderr, `deckhand: warning: ${warning}\n${unserved}`);
});

test("a run whose failure pauses the job says so, and how to go on [D1]", async (t) => {
  const machine = await openMachine(t);
  const fails = ["--tool", "bash", "--input", '{"command":"exit 3"}', "--pause-after", "2"];
  await add(machine, "my job", "--every", "1d", ...fails);
  const first = await machine.run(["schedule", "run", "my job"]);
  assert.deepEqual([first.code, first.stderr.includes("paused")], [1, false], first.stderr);
  const second = await machine.run(["schedule", "run", "my job"]);
  assert.match(
    second.stderr,
    /\nmy job is paused after 2 failures in a row; resume it with `deckhand schedule resume 'my job'`\.\n$/,
  );
  // It was paused before, so this failure did not do it.
  assert.doesNotMatch((await machine.run(["schedule", "run", "my job"])).stderr, /is paused/);
  assert.match(
    (await machine.run(["schedule", "show", "my job"])).stdout,
    /\n {2}paused +by schedule: 2 runs in a row failed; .*\n +resume it with `deckhand schedule resume 'my job'`\n/,
  );
});

test("the settings give jobs their defaults [D1]", async (t) => {
  const machine = await openMachine(t);
  const folder = join(machine.env["XDG_CONFIG_HOME"]!, "deckhand");
  await mkdir(folder, { recursive: true });
  const schedule = { time_zone: "Asia/Seoul", overlap: "queue_one", missed: "none", timeout_ms: 5000, retries: 2 };
  await writeFile(
    join(folder, "deckhand.json"),
    JSON.stringify({ schedule: { ...schedule, pause_after_failures: 0 } }),
  );
  await add(machine, "x", "--cron", "@daily", ...hello);
  const { when, overlap, missed, timeout_ms, retries, pause_after_failures } = JSON.parse(
    (await machine.run(["schedule", "show", "x", "--json"])).stdout,
  ) as Record<string, unknown>;
  assert.deepEqual(
    { when, overlap, missed, timeout_ms, retries, pause_after_failures },
    {
      when: { cron: "@daily", time_zone: "Asia/Seoul" },
      overlap: "queue_one",
      missed: { mode: "none", max: 10, window_ms: 604_800_000 },
      timeout_ms: 5000,
      retries: 2,
      pause_after_failures: 0,
    },
  );
});

test("an agent's call can't add, resume, run or remove a job [D1]", async (t) => {
  const machine = await openMachine(t);
  await add(machine, "x", "--every", "1h", ...hello);
  const env = { DECKHAND_EXECUTION: "call_1" };
  for (const args of [
    ["add", "y", "--every", "1h", ...hello],
    ["resume", "x"],
    ["run", "x"],
    ["remove", "x"],
  ]) {
    const { code, stderr } = await machine.run(["schedule", ...args], { env });
    assert.deepEqual([code, /Not allowed from inside a tool call/.test(stderr)], [3, true]);
  }
});

test("Ctrl-C cancels a run that is carried out here, and its row says so [D1]", async (t) => {
  const machine = await openMachine(t);
  await add(machine, "long", "--every", "1d", "--tool", "bash", "--input", '{"command":"echo here > begun; sleep 60"}');
  const running = machine.start(["schedule", "run", "long"]);
  const history = async (): Promise<Record<string, unknown>> =>
    (JSON.parse((await machine.run(["schedule", "history", "--json"])).stdout) as Record<string, unknown>[])[0] ?? {};
  await until("it runs", async () => (await history())["execution_id"] ?? undefined, 60_000);
  running.child.kill("SIGINT");
  const ended = await running.ended;
  assert.equal(ended.code, 130, ended.stderr);
  assert.match(ended.stderr, /^long cancelled after .*: Cancelled by /);
  assert.equal((await history())["state"], "cancelled");
});
