import assert from "node:assert/strict";
import { test } from "node:test";
import type { LaunchPlan } from "../../../src/tasks/adapters/agent-adapter.ts";
import { adapters, place, plan, refusal } from "./plan-order.ts";

const id = place.sessionId;

const hostile = '--help\n-y "quoted" $(id) ünï 🎉\n--yolo';
const full = { message: hostile, systemPrompt: "-be\nterse", model: "some/model" };

const expected: Readonly<Record<string, Pick<LaunchPlan, "args" | "env" | "files" | "stdin">>> = {
  claude: {
    args: [
      "--print",
      "--output-format=stream-json",
      "--verbose",
      "--append-system-prompt-file=/data/tasks/task_1/system-prompt.md",
      "--model=some/model",
      `--session-id=${id}`,
      "--effort",
      "low",
    ],
    env: { DISABLE_AUTOUPDATER: "1" },
    files: { "system-prompt.md": "-be\nterse" },
  },
  codex: {
    args: [
      "exec",
      "--skip-git-repo-check",
      '--config=developer_instructions="-be\\nterse"',
      "--model=some/model",
      "--effort",
      "low",
      "--json",
      "-",
    ],
    env: {},
    files: {},
  },
  gemini: {
    args: ["--output-format=stream-json", "--model=some/model", `--session-id=${id}`, "--effort", "low"],
    env: {},
    files: {},
    stdin: `-be\nterse\n\n${hostile}`,
  },
  qwen: {
    args: [
      "--output-format=stream-json",
      "--append-system-prompt=-be\nterse",
      "--model=some/model",
      `--session-id=${id}`,
      "--effort",
      "low",
    ],
    env: {},
    files: {},
  },
  opencode: {
    args: ["run", "--format=json", "--model=some/model", "--effort", "low"],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_CONFIG_CONTENT: '{"instructions":["/data/tasks/task_1/system-prompt.md"]}',
    },
    files: { "system-prompt.md": "-be\nterse" },
  },
  pi: {
    args: [
      "--print",
      "--mode",
      "json",
      "--session-id",
      id,
      "--append-system-prompt",
      "/data/tasks/task_1/system-prompt.md",
      "--model",
      "some/model",
      "--effort",
      "low",
    ],
    env: {},
    files: { "system-prompt.md": "-be\nterse" },
  },
  deckhand: {
    args: [
      "/opt/deckhand.js",
      "run",
      "--json",
      "--append-system-prompt-file=/data/tasks/task_1/system-prompt.md",
      "--model=some/model",
      "--effort",
      "low",
      "-",
    ],
    env: {},
    files: { "system-prompt.md": "-be\nterse" },
  },
};

for (const [agent, { args, env, files, stdin = hostile }] of Object.entries(expected)) {
  test(`${agent} gets the message on stdin and nothing of it as an argument [T8]`, () => {
    const planned = plan(agent, { ...full, args: ["--effort", "low"] });
    assert.deepEqual(planned.args, args);
    assert.deepEqual(planned.env, env);
    assert.deepEqual(planned.files ?? {}, files);
    assert.equal(planned.stdin, stdin);
  });
}

test("a session is gone on with [T8]", () => {
  const resumed: Readonly<Record<string, readonly string[]>> = {
    claude: ["--resume=abc"],
    codex: ["resume", "abc", "-"],
    gemini: ["--resume=abc"],
    qwen: ["--resume=abc"],
    opencode: ["--session=abc"],
    pi: ["--session", "abc"],
    deckhand: ["--session=abc", "-"],
  };
  for (const [agent, last] of Object.entries(resumed)) {
    const { args, sessionId } = plan(agent, { resume: "abc" });
    assert.deepEqual(args.slice(-last.length), last, agent);
    assert.equal(sessionId, "abc", agent);
  }
});

test("the agent's own checks are off only where the task says so [T8]", () => {
  const bypassing: Readonly<Record<string, readonly string[]>> = {
    claude: ["--dangerously-skip-permissions"],
    codex: ["--dangerously-bypass-approvals-and-sandbox"],
    gemini: ["--approval-mode=yolo", "--skip-trust"],
    qwen: ["--approval-mode=yolo"],
    opencode: ["--auto"],
    pi: [],
    deckhand: ["--mode=auto"],
  };
  for (const [agent, flags] of Object.entries(bypassing)) {
    const careful = plan(agent, {}).args;
    const bold = plan(agent, { bypassesPermissions: true }).args;
    assert.deepEqual(
      bold.filter((argument) => !careful.includes(argument)),
      flags,
      agent,
    );
  }
});

test("a model, a session or a message that no command line could carry is refused in one sentence [T8]", () => {
  for (const agent of adapters.keys()) {
    assert.match(refusal(agent, { model: "--yolo" }), /^Invalid model "--yolo": expected a name/);
    assert.match(refusal(agent, { resume: "-x" }), /^Invalid session to resume "-x": expected a name/);
    assert.match(refusal(agent, { resume: "a b" }), /^Invalid session to resume "a b": expected a name/);
    assert.match(refusal(agent, { message: " \n" }), /is empty/);
  }
  assert.match(refusal("qwen", { systemPrompt: "x".repeat(200_000) }), /200000 bytes \(maximum 120000\)/);
  assert.match(refusal("gemini", { message: "x".repeat(9 * 1024 * 1024) }), /9437184 bytes \(maximum 8388608\)/);
  assert.match(refusal("codex", { message: "x".repeat(1_048_577) }), /1048577 characters \(maximum 1048576\)/);
  assert.equal(refusal("codex", { message: "🎉".repeat(1_048_576) }), "");
  assert.equal(plan("claude", { systemPrompt: "x".repeat(200_000) }).files!["system-prompt.md"]!.length, 200_000);
});

test("no key of the person goes to a CLI that has no use for it [T8]", () => {
  assert.ok(plan("claude", {}).passes.includes("ANTHROPIC_API_KEY"));
  assert.ok(!plan("claude", {}).passes.includes("OPENAI_API_KEY"));
  assert.ok(!plan("codex", {}).passes.includes("ANTHROPIC_API_KEY"));
});
