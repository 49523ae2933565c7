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
});
