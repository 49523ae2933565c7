import assert from "node:assert/strict";
import { test } from "node:test";
import { listAdapters } from "../../../src/tasks/adapters/list-adapters.ts";
import { findAdapter } from "../../../src/tasks/manager/task-manager.ts";
import { anOrder } from "./an-order.ts";

const own = ["node", "/opt/deckhand.js"] as const;
const place = { folder: "/data", sessionId: "some-id" };

test("every agent has a name, a program and a way to be installed [T8]", () => {
  const names = ["claude", "codex", "gemini", "opencode", "qwen", "pi", "deckhand"];
  const adapters = listAdapters({ own });
  assert.deepEqual([...adapters.keys()], names);
  for (const adapter of adapters.values()) {
    assert.notEqual(adapter.program, "");
    assert.match(adapter.install, /npm install -g \S+$/);
    assert.equal(adapter.canResume, true);
  }
});

test("an unknown agent is refused with the nearest and with all there are [T8]", () => {
  const adapters = listAdapters({ own, agents: { mine: { command: ["mine"], output: "text" } } });
  assert.throws(() => findAdapter("cluade", adapters), {
    code: "TASK_INVALID",
    message:
      'Unknown agent "cluade". Did you mean "claude"? Available: claude, codex, gemini, opencode, qwen, pi, deckhand, mine.',
  });
  assert.throws(() => findAdapter("__proto__", adapters), { code: "TASK_INVALID" });
  assert.equal(findAdapter("mine", adapters).name, "mine");
});

test("the settings say how a known agent is started, and what it is given beside [T8]", () => {
  const command = ["npx", "-y", "@openai/codex@1", "--yolo"] as const;
  const agents = { codex: { command, env: { A: "1" }, passes: ["MY_KEY"] }, deckhand: { env: { B: "2" } } };
  const adapters = listAdapters({ own, agents });
  const codex = findAdapter("codex", adapters);
  const plan = codex.plan(anOrder(), place);
  assert.equal(codex.program, "npx");
  assert.deepEqual(plan.args, ["-y", "@openai/codex@1", "--yolo", "exec", "--skip-git-repo-check", "--json", "-"]);
  assert.deepEqual(plan.env, { A: "1" });
  assert.ok(plan.passes.includes("MY_KEY"));
  assert.deepEqual(findAdapter("deckhand", adapters).plan(anOrder(), place).args, [
    "/opt/deckhand.js",
    "run",
    "--json",
    "-",
  ]);
  assert.deepEqual(findAdapter("deckhand", adapters).plan(anOrder(), place).env, { B: "2" });
});

test("an agent of the settings without a command is refused [T8]", () => {
  assert.throws(() => listAdapters({ own, agents: { mine: { output: "text" } } }), {
    code: "CONFIG_INVALID",
    message: '"agents.mine" has no "command": set the command that starts this agent.',
  });
});
