import assert from "node:assert/strict";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { agentPrograms } from "../../src/runtime/open-conversation.ts";
import type { RuntimeConfig } from "../../src/runtime/create-runtime.ts";
import { listAdapters } from "../../src/tasks/adapters/list-adapters.ts";
import { openAgentOf, openTestAgent } from "../support/agent.ts";
import { isolatedEnvironment } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";

const taskTools = [
  "use_agent",
  "cancel_task",
  "get_task_output",
  "get_task_status",
  "list_agents",
  "list_tasks",
  "wait_for_task",
];

/** Which of the tools around background agents a conversation gets that begins like this. */
async function offered(
  t: TestContext,
  words: string,
  { programs = [], ...config }: RuntimeConfig & { readonly programs?: readonly string[] } = {},
): Promise<string[]> {
  const home = await temporaryFolder(t);
  const bin = join(home, "bin");
  await mkdir(bin);
  for (const program of programs) {
    await writeFile(join(bin, program), "#!/bin/sh\n");
    await chmod(join(bin, program), 0o755);
  }
  const env = { ...isolatedEnvironment(home), PATH: bin };
  const { agent, requests } = await openTestAgent(t, { home, runtime: { env, ...config }, turns: ["Done."] });
  await agent.send(words);
  return requests[0]!.tools.map(({ name }) => name).filter((name) => taskTools.includes(name));
}

test("tools around background agents are offered where there are agents, or the person speaks of them [L13]", async (t) => {
  const all = taskTools.toSorted((a, b) => (a < b ? -1 : 1));
  const settings = { agents: { helper: { command: ["sh", "-s"] as [string, ...string[]] } } };
  assert.deepEqual(await offered(t, "Fix the test."), []);
  assert.deepEqual(await offered(t, "Run the server in the background."), []);
  assert.deepEqual(await offered(t, "Delegate this, please."), all);
  assert.deepEqual(await offered(t, "다른 에이전트에게 맡겨 줘"), all);
  assert.deepEqual(await offered(t, "Start it with use_agent."), all);
  assert.deepEqual(await offered(t, "Fix the test.", { settings }), all);
  assert.deepEqual(await offered(t, "Fix the test.", { programs: ["codex"] }), all);
  // Agents of workers; nobody is asked for them before one is wanted.
  const sharing = { store: { url: "postgres://127.0.0.1:1/nowhere" } };
  assert.deepEqual(await offered(t, "Fix the test.", { settings: sharing }), all);
});

test("what a later prompt speaks of is offered from then on, also when the conversation is resumed; nothing is taken away [L13]", async (t) => {
  const home = await temporaryFolder(t);
  const turns = ["Hello.", "Done.", "Done."];
  const env = { ...isolatedEnvironment(home), PATH: "" };
  const { agent, runtime, requests } = await openTestAgent(t, { home, turns, runtime: { env } });
  const namesOf = (request: (typeof requests)[number] | undefined): string[] => request!.tools.map(({ name }) => name);
  await agent.send("hello");
  await agent.send("Write a tool that counts words.");
  const [first, second] = requests.map(namesOf);
  const added = second!.filter((name) => !first!.includes(name));
  assert.deepEqual(
    [first!.filter((name) => !second!.includes(name)), added],
    [
      [],
      [
        "create_or_update_custom_tool_file",
        "delete_custom_tool_file",
        "list_custom_tools",
        "reload_custom_tools",
        "tool_registry_status",
        // A tool that is written now can be called in the same turn only through these.
        "call_tool",
        "find_tools",
      ],
    ],
  );
  await agent.send("Thanks.");
  assert.deepEqual(namesOf(requests[2]), second);
  await agent.close();

  const other = await openAgentOf(t, runtime, { turns: ["Hello."] });
  await other.agent.send("hello");
  await other.agent.close();
  const session = other.agent.sessionId;
  const resumed = await openAgentOf(t, runtime, { turns: ["Hello.", "Done."], session });
  await resumed.agent.send("Delegate it to an agent.");
  assert.ok(namesOf(resumed.requests[0]).includes("use_agent"));
});

test("the programs that are looked for are those of the known agents [T8]", () => {
  const known = [...listAdapters({ own: ["deckhand"] }).values()].map(({ program }) => program);
  assert.deepEqual(
    known.filter((program) => program !== "deckhand"),
    [...agentPrograms],
  );
});
