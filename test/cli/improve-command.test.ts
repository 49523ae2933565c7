import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { initials, initialsInPython, mended, recordCalls, replying } from "../tool-files/improve/improve-bench.ts";
import { hasPython, lane } from "../support/require.ts";
import { openMachine, type Ended, type Machine } from "./run-deckhand.ts";

interface Bench extends Machine {
  /** `deckhand improve initials …` with a model that says this. */
  improve(reply: string, args: readonly string[]): Promise<Ended>;
  readonly path: string;
}

async function openBench(t: TestContext, file = { name: "initials.ts", content: initials }): Promise<Bench> {
  const machine = await openMachine(t);
  const { workdir, env } = machine;
  await recordCalls({ workdir, env, file });
  return {
    ...machine,
    path: join(workdir, "tools", file.name),
    async improve(reply, args) {
      await writeFile(join(workdir, "script.json"), JSON.stringify({ turns: [reply] }));
      return machine.run(["improve", "initials", "--model", "script:script.json", "--attempts", "1", ...args]);
    },
  };
}

interface Document {
  readonly outcome: string;
  readonly to: string | null;
  readonly rollout_id: string | null;
}

test("three recorded failures lead to a fix that passed: staged, shown, and nothing changed by a dry run [V7]", async (t) => {
  const bench = await openBench(t);
  const { code, stdout, stderr } = await bench.improve(replying(mended), ["--dry-run"]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Upper case unless said otherwise\.$/m);
  assert.match(
    stdout,
    /^-export function run\(\{ name, style \}.*\n\+export function run\(\{ name, style = "upper" \}/m,
  );
  assert.match(stdout, /^schema +passed +Every input that was taken still is\.$/m);
  assert.match(stdout, /^types +not checked +There is no compiler here \(node_modules\/\.bin\/tsc\)\.$/m);
  assert.match(stdout, /^cases +passed +3 of 3 cases pass, none got worse\.$/m);
  assert.match(stdout, /^failures +passed +3 of 3 recorded failures pass with it\.$/m);
  assert.match(stderr, /^initials@[0-9a-f]{12} passed; a dry run starts nothing\.$/m);
  assert.equal(await readFile(bench.path, "utf8"), initials);
  const staging = join(bench.workdir, ".deckhand", "staging", "initials");
  const [staged] = await readdir(staging);
  assert.match(staged!, /^[0-9a-f]{64}\.ts$/);
  assert.equal(await readFile(join(staging, staged!), "utf8"), mended);
  assert.equal((await stat(join(staging, staged!))).mode & 0o777, 0o600);
});

test("--agent lets a background agent of the settings propose it; one that is none is named with its nearest [V7] [T8]", async (t) => {
  const bench = await openBench(t);
  const folder = join(bench.env["XDG_CONFIG_HOME"]!, "deckhand");
  await mkdir(folder, { recursive: true });
  const [reply, asked] = [join(folder, "reply"), join(folder, "asked")];
  await writeFile(reply, replying(mended));
  const agents = { mender: { command: ["sh", "-c", `cat > '${asked}'; cat '${reply}'`] } };
  await writeFile(join(folder, "deckhand.json"), JSON.stringify({ agents }));
  const improve = (agent: string): Promise<Ended> =>
    bench.run(["improve", "initials", "--agent", agent, "--attempts", "1", "--dry-run"]);
  const { code, stdout, stderr } = await improve("mender");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^failures +passed +3 of 3 recorded failures pass with it\.$/m);
  assert.match(stderr, /^initials@[0-9a-f]{12} passed; a dry run starts nothing\.$/m);
  assert.match(await readFile(asked, "utf8"), /^You mend one tool file of a program\./);
  const [task] = JSON.parse((await bench.run(["tasks", "list", "--json"])).stdout) as { order: { agent: string } }[];
  assert.equal(task?.order.agent, "mender");
  const wrong = await improve("mendr");
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /^deckhand: Unknown agent "mendr"\. Did you mean "mender"\?/m);
});

test("what passed is tried as a canary, the file stays as it is, and once promoted it is the tool [V7]", async (t) => {
  const bench = await openBench(t);
  const { code, stdout, stderr } = await bench.improve(replying(mended), ["--yes", "--json"]);
  assert.equal(code, 0, stderr);
  const { outcome, to, rollout_id: rolloutId } = JSON.parse(stdout) as Document;
  assert.equal(outcome, "started");
  assert.match(rolloutId ?? "", /^roll_/);
  assert.equal(await readFile(bench.path, "utf8"), initials);
  const status = await bench.run(["rollout", "status", "initials", "--json"]);
  assert.equal(status.code, 0, status.stderr);
  assert.ok(status.stdout.includes(to!), status.stdout);
  const promoted = await bench.run(["rollout", "promote", "initials", "--all", "--reason", "I read it"]);
  assert.equal(promoted.code, 0, promoted.stderr);
  const called = await bench.run(["tool", "initials", '{"name":"Grace Hopper"}', "--json"]);
  const { result, version } = JSON.parse(called.stdout) as { result: { output: string }; version: string };
  assert.deepEqual([called.code, result.output, version], [0, "GH", to]);
  assert.equal(await readFile(bench.path, "utf8"), mended);
});

test("a patch that mends nothing ends with 1, its diff and the table [V7]", async (t) => {
  const bench = await openBench(t);
  const { code, stdout, stderr } = await bench.improve(replying(`// Better now.\n${initials}`), ["--yes"]);
  assert.equal(code, 1, stderr);
  assert.match(stdout, /^\+\/\/ Better now\.$/m);
  assert.match(stdout, /^failures +FAILED +It mends nothing/m);
  assert.match(stderr, /^Refused: It mends nothing: none of the 3 recorded failures passes with it\./m);
});

test("a patch that reaches more is not even loaded, unless that was allowed [V7]", async (t) => {
  const bench = await openBench(t);
  const mark = join(bench.workdir, "ran");
  const reaching = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(mark)}, "");\n${mended}`;
  const refused = await bench.improve(replying(reaching), ["--yes", "--allow-capability", "network"]);
  assert.equal(refused.code, 3);
  assert.match(refused.stdout, /^reach +FAILED +It reaches what the present version does not: fs\.$/m);
  assert.match(refused.stderr, /Allow it with --allow-capability, if it needs that\./);
  await assert.rejects(stat(mark), { code: "ENOENT" });
  const allowed = await bench.improve(replying(reaching), ["--dry-run", "--allow-capability", "fs"]);
  assert.equal(allowed.code, 0, allowed.stderr);
  assert.match(allowed.stdout, /^reach +passed +It may newly reach: fs\.$/m);
});

test("what can't be improved is told in one sentence [V7]", async (t) => {
  const machine = await openMachine(t);
  await mkdir(join(machine.workdir, "tools"));
  await writeFile(join(machine.workdir, "tools", "initials.ts"), initials);
  await machine.run(["trust", "--yes"]);
  for (const { args, code, says } of [
    {
      args: ["initials", "--dry-run"],
      code: 1,
      says: /^Nothing to improve: no failure of initials is recorded\. Call it/m,
    },
    { args: ["initials"], code: 2, says: /Nobody can be asked here: add --yes/ },
    { args: ["bash", "--dry-run"], code: 2, says: /bash does not come from a tool file/ },
    {
      args: ["initial", "--dry-run"],
      code: 2,
      says: /There is no tool "initial" that comes from a file\. .*: initials\./,
    },
    {
      args: ["initials", "--dry-run", "--attempts", "0"],
      code: 2,
      says: /--attempts takes a whole number from 1 to 10/,
    },
    {
      args: ["initials", "--dry-run", "--cases", "many"],
      code: 2,
      says: /--cases takes a whole number from 0 to 1000/,
    },
  ]) {
    const ended = await machine.run(["improve", ...args]);
    assert.deepEqual([ended.code, ended.stdout], [code, ""], ended.stderr);
    assert.match(ended.stderr, says);
  }
  const inside = await machine.run(["improve", "initials", "--yes"], { env: { DECKHAND_EXECUTION: "call_1" } });
  assert.equal(inside.code, 3);
});

test("a tool that changes things is never rehearsed with recorded calls, and that is said [V7, V10]", async (t) => {
  const changing = initials.replace("  traits: { read_only: true },\n", "");
  const bench = await openBench(t, { name: "initials.ts", content: changing });
  const fixed = changing.replace("name, style }:", 'name, style = "upper" }:');
  const { code, stdout, stderr } = await bench.improve(replying(fixed), ["--dry-run"]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^cases +passed +1 of 1 cases pass, none got worse\. Recorded calls were not tried: the tool/m);
  assert.match(stdout, /^failures +not checked +Whether it mends anything can't be tried/m);
});

test("a tool in Python is mended the same way [V7]", lane("python", hasPython()), async (t) => {
  const bench = await openBench(t, { name: "initials.py", content: initialsInPython });
  const fixed = initialsInPython.replace('input_data["style"]', 'input_data.get("style", "upper")');
  const reaching = await bench.improve(replying(`import subprocess\n${fixed}`), ["--yes"]);
  assert.equal(reaching.code, 3, reaching.stderr);
  const broken = await bench.improve(replying(fixed.replace("def run", "def run(")), ["--yes"]);
  assert.equal(broken.code, 1);
  assert.match(broken.stdout, /^load +FAILED +Line 13: /m);
  const { code, stdout, stderr } = await bench.improve(replying(fixed), ["--dry-run"]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^types +not checked +It is python\.$/m);
  assert.match(stdout, /^failures +passed +3 of 3 recorded failures pass with it\.$/m);
});
