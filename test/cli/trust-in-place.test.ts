import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { tmuxLane } from "../support/tmux.ts";
import { saying } from "../tool-files/support.ts";
import { openMachine, type Machine } from "./run-deckhand.ts";
import { openTalk } from "./talk.ts";

async function bringTool(machine: Machine, name: string, content: string): Promise<void> {
  await mkdir(join(machine.workdir, "tools"), { recursive: true });
  await writeFile(join(machine.workdir, "tools", name), content);
}

test("without a terminal, a tool whose file is not trusted yet says so, with the command that trusts it [G8]", async (t) => {
  const machine = await openMachine(t);
  await bringTool(machine, "say.ts", saying("said"));
  const refused = await machine.run(["tool", "say", "{}"]);
  assert.deepEqual([refused.code, refused.stdout], [2, ""]);
  assert.match(refused.stderr, /Unknown tool: say/);
  assert.match(refused.stderr, /tools\/say\.ts: It came with the folder, and you have not trusted it yet\./);
  assert.match(refused.stderr, /run `deckhand trust tools\/say\.ts`/);
  assert.equal((await machine.run(["trust", "tools/say.ts", "--yes"])).code, 0);
  const called = await machine.run(["tool", "say", "{}", "--quiet"]);
  assert.deepEqual([called.code, called.stdout.trim()], [0, "said"]);
});

test("calls of other tools repeat no warning about tool files; `deckhand tools` has them [C3]", async (t) => {
  const machine = await openMachine(t);
  await bringTool(machine, "bad.ts", "export {};");
  await bringTool(machine, "say.ts", saying("said"));
  await writeFile(join(machine.workdir, "a.txt"), "a");
  const untrusted = await machine.run(["tool", "read", '{"file_path":"a.txt"}']);
  assert.deepEqual([untrusted.code, untrusted.stderr], [0, ""]);
  await machine.run(["trust", "--yes"]);
  for (const call of [
    ["read", '{"file_path":"a.txt"}'],
    ["say", "{}"],
  ]) {
    const { code, stderr } = await machine.run(["tool", ...call, "--quiet"]);
    assert.deepEqual([code, stderr], [0, ""]);
  }
  assert.match((await machine.run(["tools"])).stderr, /tools\/bad\.ts: It exports no TOOL_SPEC/);
  const broken = await machine.run(["tool", "bad", "{}"]);
  assert.match(broken.stderr, /Unknown tool: bad\.\n.*tools\/bad\.ts: It exports no TOOL_SPEC/);
});

test("an unknown tool says that strict mode or the settings took it away [G2]", async (t) => {
  const machine = await openMachine(t);
  const strict = await machine.run(["tool", "run_python", '{"code":"1"}'], { env: { STRICT_WORKDIR_ONLY: "1" } });
  assert.match(strict.stderr, /run_python is off in strict mode/);
  await writeFile(join(machine.workdir, "deckhand.json"), '{"tools":{"disabled":["web_fetch"]}}');
  const disabled = await machine.run(["tool", "WebFetch", "{}"]);
  assert.match(disabled.stderr, /web_fetch is disabled: tools\.disabled in the settings names it/);
});

test("at a terminal the folder's tool files are shown and asked about in place, once [G8]", tmuxLane(), async (t) => {
  const talk = await openTalk(t, { script: ["Hello."], args: ["doctor", "--json"] });
  await talk.see(/^code /m);
  await bringTool(talk.machine, "say.ts", saying("said"));
  await talk.start("tool", "say", "{}");
  await talk.see(/tools\/say\.ts \(new\)/);
  await talk.see(/Trust this folder\?.*\[y\/N\]/);
  await talk.type("n");
  await talk.press("Enter");
  await talk.see(/Nothing was trusted[^]*Unknown tool: say/);
  await talk.type("clear");
  await talk.press("Enter");
  // The same contents are not asked about again.
  await talk.start("tool", "say", "{}");
  await talk.see(/Unknown tool: say[^]*^code 2$/m);
  await bringTool(talk.machine, "say.ts", saying("said now"));
  await talk.start("agent", "--model", "script:script.json");
  await talk.see(/Trust this folder\?.*\[y\/N\]/);
  await talk.type("y");
  await talk.press("Enter");
  await talk.see(/Trusted: tools\/say\.ts\./);
  await talk.seePrompt();
  await talk.say("/tool say {}");
  await talk.see(/^said now$/m);
});
