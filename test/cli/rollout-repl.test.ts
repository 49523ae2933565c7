import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { tmuxLane } from "../support/tmux.ts";
import { openTalk } from "./talk.ts";

test("/rollout says in a conversation what rollout status says", tmuxLane(), async (t) => {
  const talk = await openTalk(t, { script: ["Never asked."] });
  await talk.seePrompt();
  await talk.say("/rollout");
  await talk.see("No tool file is being tried: there is none here.");
  await talk.say("/rollout bash");
  await talk.see("bash does not come from a tool file, so it has no versions to try.");
  await talk.say("/feedback");
  await talk.see("/feedback bad [REASON] marks the last result of a tool file as bad.");
  await talk.say("/feedback bad");
  await talk.see("No call of a tool file has succeeded in this conversation: there is nothing to mark.");
});

test("/undo and /feedback bad count against the version that is tried, and say so [V4]", tmuxLane(), async (t) => {
  const shout = { calls: [{ tool: "shout", input: { text: "a" } }] };
  const write = { calls: [{ tool: "write", input: { file_path: "said.txt", content: "A\n" } }] };
  const talk = await openTalk(t, {
    args: ["--version"],
    script: [shout, write, "Written."],
    settings: { permissions: { allow: ["*"] }, rollout: { mode: "canary", low: { stages: [99, 100] } } },
  });
  const { machine } = talk;
  const version = (body: string): string =>
    `export const TOOL_SPEC = { name: "shout", description: "Say it loud.", input_schema: { type: "object" }, traits: { risk: "low" } };
export const run = ({ text }) => { ${body} return text.toUpperCase(); };
`;
  await mkdir(join(machine.workdir, "tools"));
  await talk.put("tools/shout.js", version(""));
  assert.equal((await machine.run(["trust", "--yes"])).code, 0);
  assert.equal((await machine.run(["tool", "shout", '{"text": "a"}'])).stdout, "A\n");
  await talk.put("tools/shout.js", version("/* better */"));
  assert.equal((await machine.run(["trust", "--yes"])).code, 0);

  await talk.start("agent", "--model", "script:script.json");
  await talk.seePrompt();
  await talk.say("shout it and write it down");
  await talk.see("Written.");
  await talk.seePrompt();
  await talk.say("/undo");
  await talk.see(
    /^removed {4}said\.txt\n[\s\S]*^corrected {2}shout@[0-9a-f]{12}: it answered before these changes were made; its trial counts this as\s+a wrong result$/m,
  );
  await talk.say("/feedback bad too loud");
  await talk.see(/last result of a tool file here is call_\S+\. It,\s+or\s+its\s+conversation,\s+counts\s+as\s+failed/);
  await talk.say("/reset");
  await talk.seePrompt();
  await talk.say("once more");
  await talk.see(/› once more\n[\s\S]*Written\./);
  await talk.seePrompt();
  await talk.say("/feedback bad too loud");
  await talk.see(/It\s+counts\s+as\s+a\s+failure\s+of\s+the\s+version\s+that\s+ran\s+it\.\s+shout: /);
  const { stdout } = await machine.run(["rollout", "explain", "shout"]);
  // One conversation in a hundred gets stable.
  assert.match(stdout, /^Corrections by users: (?=.*\b1 \/undo\b)(?=.*\b1 feedback\b)/m);
});
