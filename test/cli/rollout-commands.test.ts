import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { askRollouts } from "../../src/cli/commands/rollout/with-rollouts.ts";
import { RuntimeError } from "../../src/core/errors.ts";
import type { Runtime } from "../../src/runtime/create-runtime.ts";
import type { Rollouts } from "../../src/tool-files/rollout/service/rollouts.ts";
import { echoTool } from "./echo-tool.ts";
import { quiet, running } from "./rollout-views.ts";
import { openMachine } from "./run-deckhand.ts";

test("rollout and each of its commands have help with an example", async (t) => {
  const machine = await openMachine(t);
  const group = await machine.run(["rollout", "--help"]);
  assert.equal(group.code, 0);
  const names = ["status", "explain", "promote", "hold", "resume", "rollback", "history"];
  for (const name of names) assert.match(group.stdout, new RegExp(`^ {2}deckhand rollout ${name} `, "m"));
  const helps = await Promise.all(names.map((name) => machine.run(["rollout", name, "--help"])));
  for (const [index, { code, stdout }] of helps.entries()) {
    assert.equal(code, 0);
    assert.match(stdout, /Examples?:\n {2}deckhand rollout/);
    assert.ok(stdout.includes(`deckhand rollout ${names[index]} `), stdout);
    for (const option of ["--json", "--workdir DIR", "--help"]) assert.ok(stdout.includes(option), option);
  }
  assert.match((await machine.run(["--help"])).stdout, /^ {2}deckhand rollout status \[TOOL\] /m);
});

for (const [args, sentence] of [
  [["rollout", "stauts"], 'deckhand: Unknown command "rollout stauts". Did you mean `deckhand rollout status`?\n'],
  [["rollout", "promote"], "deckhand: Missing argument TOOL. Usage: deckhand rollout promote TOOL\n"],
  [
    ["rollout", "rollback", "x", "--hrad"],
    "deckhand: Unknown option --hrad for `deckhand rollout rollback`. Did you mean --hard?\n",
  ],
  [
    ["rollout", "history", "--limit", "all"],
    'deckhand: Invalid value "all" for --limit: expected a whole number greater than 0.\n',
  ],
] as const) {
  test(`wrong use is one sentence and exit code 2: ${args.join(" ")}`, async (t) => {
    const machine = await openMachine(t);
    const { code, stdout, stderr } = await machine.run(args);
    assert.deepEqual({ code, stdout, stderr }, { code: 2, stdout: "", stderr: sentence });
  });
}

for (const order of ["promote", "hold", "resume", "rollback"]) {
  test(`rollout ${order} is a person's order: a tool call can't give it [V5]`, async (t) => {
    const machine = await openMachine(t);
    const { code, stderr } = await machine.run(["rollout", order, "echo_tool"], {
      env: { DECKHAND_EXECUTION: "call_1" },
    });
    assert.equal(code, 3);
    assert.match(stderr, /^deckhand: Not allowed from inside a tool call/);
  });
}

/** Knows two tools by file, and `bash`, which comes from none. */
function scriptedRuntime(): Pick<Runtime, "tools" | "rollouts"> {
  const rollouts = {
    async list(tool?: string) {
      if (tool === undefined) return [running, quiet];
      throw new RuntimeError("UNKNOWN_TOOL", `Unknown tool: ${tool}.`);
    },
  } as Rollouts;
  const canonicalName = (name: string): string | undefined => (name === "bash" ? "bash" : undefined);
  return { tools: { canonicalName } as Runtime["tools"], rollouts: async () => rollouts };
}

for (const [name, sentence] of [
  ["ecko_tool", 'There is no tool file named "ecko_tool". Did you mean echo_tool?'],
  ["zzz", 'There is no tool file named "zzz". See deckhand rollout for all of them.'],
  ["bash", "bash does not come from a tool file, so it has no versions to try."],
] as const) {
  test(`a tool that has no rollouts is told with what may have been meant: ${name}`, async () => {
    await assert.rejects(
      askRollouts(scriptedRuntime(), name, (rollouts) => rollouts.list(name)),
      { name: "UsageError", message: sentence },
    );
  });
}

test("what else goes wrong is told as it is", async () => {
  const refuse = async (): Promise<never> => {
    throw new RuntimeError("ROLLOUT_STATE", "There is nothing to promote: no new version of echo_tool is tried.");
  };
  await assert.rejects(askRollouts(scriptedRuntime(), "echo_tool", refuse), { code: "ROLLOUT_STATE" });
});

test("a tool file that was called is listed, explained and in the history; orders that fit to nothing fail [V1]", async (t) => {
  const machine = await openMachine(t);
  const none = await machine.run(["rollout"]);
  assert.deepEqual([none.code, none.stdout], [0, ""]);
  assert.match(none.stderr, /^No tool file is being tried: there is none here\./);

  await mkdir(join(machine.workdir, "tools"));
  await writeFile(join(machine.workdir, "tools", "echo_tool.js"), echoTool);
  await machine.run(["trust", "--yes"]);
  assert.equal((await machine.run(["tool", "echo_tool", '{"text":"hi"}'])).stdout, "hi\n");

  const status = await machine.run(["rollout"]);
  assert.match(status.stdout, /^TOOL .*\necho_tool {2}[0-9a-f]{12} {2}- +- {2}stable {2}\S/);
  assert.match(status.stderr, /^No tool file is being tried: your edits are live at once\./);
  const view = JSON.parse((await machine.run(["rollout", "status", "Echo-Tool", "--json"])).stdout);
  assert.deepEqual(
    [view.tool, view.file, view.mode, view.canary, view.status],
    ["echo_tool", "tools/echo_tool.js", "off", null, "none"],
  );
  const explained = await machine.run(["rollout", "explain", "echo_tool"]);
  assert.match(explained.stdout, /^echo_tool: .*\n\n {2}file {6}tools\/echo_tool\.js\n {2}stable {4}echo_tool@/);
  const [event] = JSON.parse((await machine.run(["rollout", "history", "echo_tool", "--json"])).stdout);
  assert.deepEqual([event.tool, event.type, event.by, event.version], ["echo_tool", "live", "file", view.stable]);

  const unknown = await machine.run(["rollout", "explain", "ecco_tool"]);
  assert.deepEqual(
    [unknown.code, unknown.stderr],
    [2, 'deckhand: There is no tool file named "ecco_tool". Did you mean echo_tool?\n'],
  );
  for (const order of ["promote", "hold", "resume", "rollback"]) {
    const { code, stdout, stderr } = await machine.run(["rollout", order, "echo_tool"]);
    assert.deepEqual([order, code, stdout], [order, 1, ""]);
    assert.match(stderr, /^deckhand: [^\n]*echo_tool[^\n]*\.\n$/);
  }
});

test("an edit in canary mode is tried, and obeys each order of a person, without a terminal as well [V1, V5]", async (t) => {
  const machine = await openMachine(t);
  const file = join(machine.workdir, "tools", "echo_tool.js");
  await mkdir(join(machine.workdir, "tools"));
  await writeFile(file, echoTool);
  await writeFile(join(machine.workdir, "deckhand.json"), '{"rollout": {"mode": "canary"}}');
  await machine.run(["trust", "--yes"]);
  const call = async (): Promise<string> =>
    (await machine.run(["tool", "echo_tool", '{"text":"hi"}'])).stdout.trimEnd();
  assert.equal(await call(), "hi");
  await writeFile(file, echoTool.replace("output: input.text", 'output: input.text + "!"'));
  assert.match(await call(), /^hi!?$/);

  const view = async (): Promise<Record<string, unknown>> =>
    JSON.parse((await machine.run(["rollout", "status", "echo_tool", "--json"])).stdout);
  const begun = await view();
  const [stable, canary] = [String(begun["stable"]), String(begun["canary"])];
  assert.deepEqual([begun["percent"], begun["status"]], [10, "running"]);
  assert.match(canary, /^echo_tool@[0-9a-f]{12}$/);

  const explained = await machine.run(["rollout", "explain", "echo_tool"]);
  assert.match(
    explained.stdout,
    /\nWhat it changes of stable:\n\n--- a\/tools\/echo_tool\.js\n[\s\S]*\n-export const run = .*\n\+export const run = .*"!"[^]*\n\nWhat you can do:/,
  );
  const { diff } = JSON.parse((await machine.run(["rollout", "explain", "echo_tool", "--json"])).stdout);
  assert.match(diff, /^--- a\/tools\/echo_tool\.js\n\+\+\+ b\/tools\/echo_tool\.js\n@@ /);

  const order = async (...words: string[]): Promise<string> => {
    const { code, stderr } = await machine.run(["rollout", ...words]);
    return `${code} ${stderr.trim()}`;
  };
  assert.equal(
    await order("promote", "echo_tool"),
    `0 echo_tool: 30 % of the conversations get ${canary} now, 10 % did before.`,
  );
  assert.equal(
    await order("hold", "echo_tool", "--reason", "until Monday"),
    `0 echo_tool: ${canary} stays at 30 % until you resume it; what is bad is still rolled back.`,
  );
  assert.equal((await view())["is_held"], true);
  assert.equal(await order("resume", "echo_tool"), `0 echo_tool: ${canary} goes on from 30 %.`);
  assert.match(
    await order("rollback", "echo_tool", "--hard", "--reason", "too loud"),
    new RegExp(`^0 echo_tool: everybody gets ${stable} from the next call on; ${canary} is disabled`),
  );
  assert.equal(await call(), "hi");
  const pinned = await view();
  assert.deepEqual([pinned["percent"], pinned["is_pinned"], pinned["stable"]], [0, true, stable]);
  assert.equal(
    await order("resume", "echo_tool"),
    `0 ${canary} is tried with 1 recorded call before anybody gets it; this waits for that.\necho_tool: ${canary} begins again with 10 % of the conversations.`,
  );
  assert.equal(await order("promote", "echo_tool", "--all"), `0 echo_tool: everybody gets ${canary} now.`);
  assert.equal(await call(), "hi!");
  const events = JSON.parse((await machine.run(["rollout", "history", "--json"])).stdout) as { type: string }[];
  assert.deepEqual(
    events.map(({ type }) => type).filter((type) => type !== "replayed"),
    ["promoted", "resumed", "rolled_back", "resumed", "held", "advanced", "started", "live"],
  );
});

test("a version is gone back to by its number in the history or its hash; what fails its replay again is told by the exit code [V5 V10]", async (t) => {
  const machine = await openMachine(t);
  const file = join(machine.workdir, "tools", "echo_tool.js");
  await mkdir(join(machine.workdir, "tools"));
  const saying = (end: string): string => echoTool.replace("output: input.text", `output: input.text + "${end}"`);
  await machine.run(["trust", "--yes"]);
  const call = async (): Promise<string> =>
    (await machine.run(["tool", "echo_tool", '{"text":"hi"}'])).stdout.trimEnd();
  for (const end of ["1", "2", "3"]) {
    await writeFile(file, saying(end));
    if (end === "1") await machine.run(["trust", "--yes"]);
    assert.equal(await call(), `hi${end}`);
  }
  const { stdout } = await machine.run(["rollout", "history", "echo_tool"]);
  const [, , , oldest] = stdout.split("\n");
  const [, number, hash] = /^ *(\d+) .*echo_tool +([0-9a-f]{12}) /.exec(oldest ?? "") ?? [];
  const wrong = await machine.run(["rollout", "rollback", "echo_tool", "--to", "9999999"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, new RegExp(`There are [0-9a-f]{12} \\(now\\), [0-9a-f]{12}, ${hash}\\.\n$`));
  const back = await machine.run(["rollout", "rollback", "echo_tool", "--to", number ?? ""]);
  assert.match(
    `${back.code} ${back.stderr}`,
    new RegExp(`^0 echo_tool: everybody gets echo_tool@${hash} from the next call on`),
  );
  assert.equal(await call(), "hi1");

  const failing = echoTool.replace(
    "export const run",
    "export const run = () => ({ ok: false, error: 'no voice' });\nconst unused",
  );
  await writeFile(join(machine.workdir, "deckhand.json"), '{"rollout": {"mode": "canary"}}');
  await machine.run(["trust", "--yes"]);
  await writeFile(file, failing);
  assert.equal(await call(), "hi1");
  const again = await machine.run(["rollout", "resume", "echo_tool"]);
  assert.equal(again.code, 1, again.stderr);
  assert.match(
    again.stderr,
    /was tried once more, and again rolled back before anybody got it: .*no voice\. Correct the file/,
  );
  const asJson = await machine.run(["rollout", "resume", "echo_tool", "--json"]);
  assert.deepEqual([asJson.code, JSON.parse(asJson.stdout).status], [1, "rolled_back"]);
});
