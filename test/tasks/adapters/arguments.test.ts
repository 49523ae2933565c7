import assert from "node:assert/strict";
import { test } from "node:test";
import { plan, refusal } from "./plan-order.ts";

const widening: readonly (readonly [string, ...string[]])[] = [
  ["claude", "--dangerously-skip-permissions"],
  ["claude", "--permission-mode", "bypassPermissions"],
  ["claude", "--permission-mode=bypassPermissions"],
  ["claude", "--permission-mode", "auto"],
  ["claude", "--permission-mode=acceptEdits"],
  ["claude", "--permission-mode", "dontAsk"],
  ["claude", "--permissionMode=a mode of tomorrow"],
  ["claude", "--inherit-permission-mode", "acceptEdits"],
  ["claude", "--enable-auto-mode"],
  ["claude", "--allow-dangerously-skip-permissions"],
  ["claude", "--dangerously-load-development-channels", "x"],
  ["claude", "--dangerously-do-what-nobody-knows-yet"],
  ["claude", "--chrome"],
  ["claude", "--debug-file", "/home/ann/.bashrc"],
  ["claude", "--allowedTools", "Bash"],
  ["claude", "--settings={}"],
  ["claude", "--mcp-config", "servers.json"],
  ["codex", "--dangerously-bypass-approvals-and-sandbox"],
  ["codex", "--full-auto"],
  ["codex", "--yolo"],
  ["codex", "-s", "danger-full-access"],
  ["codex", "--sandbox=danger-full-access"],
  ["codex", "-s=danger-full-access"],
  ["codex", "--sandbox", "whatever"],
  ["codex", "-c", 'sandbox_mode="danger-full-access"'],
  ["codex", '--config=approval_policy="never"'],
  ["codex", "-a", "never"],
  ["codex", "--ask-for-approval=never"],
  ["codex", "--approve-for-me"],
  ["codex", "--dangerously-bypass-hook-trust"],
  ["gemini", "--yolo"],
  ["gemini", "-y"],
  ["gemini", "--approval-mode", "yolo"],
  ["gemini", "--approvalMode=YOLO"],
  ["gemini", "--approval-mode", "auto_edit"],
  ["gemini", "--approval_mode=auto_edit"],
  ["gemini", "--approval--mode=yolo"],
  ["gemini", "--yolo-"],
  ["gemini", "--yolo.x"],
  ["gemini", "--y"],
  ["gemini", "--sandbox=false"],
  ["gemini", "-s", "false"],
  ["gemini", "--no-sandbox"],
  ["gemini", "--skip-trust"],
  ["qwen", "-y"],
  ["qwen", "--approval-mode=yolo"],
  ["qwen", "--approval-mode=auto"],
  ["qwen", "--approval-mode", "auto-edit"],
  ["qwen", "--sandbox=0"],
  ["qwen", "--allowed-tools", "run_shell_command"],
  ["opencode", "--auto"],
  ["opencode", "--dangerously-skip-permissions"],
  ["opencode", "--yolo"],
  ["pi", "--extension", "x.ts"],
  ["pi", "--approve"],
  ["deckhand", "--mode", "auto"],
  ["deckhand", "--mode=accept-edits"],
  ["deckhand", "--yes-danger", "delete.recursive"],
];

test("arguments that take the checks away are refused unless the task bypasses them [T8]", () => {
  for (const [agent, ...args] of widening) {
    assert.match(refusal(agent, { args }), /permission/, `${agent} ${args.join(" ")}`);
    assert.equal(refusal(agent, { args, bypassesPermissions: true }), "");
  }
});

test("arguments that leave the checks as they are, or make them stricter, are taken [T8]", () => {
  const harmless: readonly (readonly [string, ...string[]])[] = [
    ["claude", "--permission-mode", "plan"],
    ["claude", "--permission-mode=default"],
    ["claude", "--permissionMode", "manual", "--restricted"],
    ["codex", "-s", "read-only"],
    ["codex", "--sandbox=workspace-write"],
    ["gemini", "--approval-mode", "plan", "--sandbox"],
    ["gemini", "--sandbox", "--debug"],
    ["qwen", "--approval-mode=default", "-s", "true"],
    ["deckhand", "--mode", "plan"],
    ["deckhand", "--mode=never"],
  ];
  for (const [agent, ...args] of harmless) {
    const planned = plan(agent, { args }).args.join(" ");
    assert.ok(planned.includes(args.join(" ")), `${agent} ${planned}`);
  }
});

test("what bypasses the checks is said once, however often it is asked for [T8]", () => {
  const asked: readonly (readonly [string, ...string[]])[] = [
    ["claude", "--dangerously-skip-permissions", "--permission-mode", "bypassPermissions"],
    ["codex", "--yolo", "-s", "danger-full-access", "--sandbox=danger-full-access"],
    ["gemini", "-y", "--approval-mode", "yolo", "--approvalMode=yolo"],
    ["qwen", "--yolo"],
    ["opencode", "--auto"],
    ["deckhand", "--mode", "auto"],
  ];
  for (const [agent, ...args] of asked) {
    const bare = plan(agent, { bypassesPermissions: true }).args;
    assert.deepEqual(plan(agent, { args, bypassesPermissions: true }).args, bare, agent);
  }
  assert.ok(plan("codex", { args: ["--image", "a.png"], bypassesPermissions: true }).args.includes("a.png"));
});

test("arguments that change what is read are never taken [T8]", () => {
  const reserved: readonly (readonly [string, string])[] = [
    ["claude", "--output-format"],
    ["claude", "--outputFormat=text"],
    ["claude", "--background"],
    ["claude", "--sdk-url"],
    ["codex", "--json"],
    ["gemini", "-o"],
    ["gemini", "--o"],
    ["qwen", "--json-file"],
    ["opencode", "--format=default"],
    ["opencode", "--attach"],
    ["pi", "--mode"],
    ["deckhand", "--json"],
  ];
  for (const [agent, argument] of reserved) {
    assert.match(refusal(agent, { args: [argument], bypassesPermissions: true }), /set by deckhand/, argument);
  }
});

test("words that a CLI would take for a command, and options that hide in others, are refused [T8]", () => {
  const hidden: readonly (readonly [string, ...string[]])[] = [
    ["claude", "mcp", "add"],
    ["claude", "--verbose", "update"],
    ["gemini", "--debug", "extensions"],
    ["gemini", "-dy"],
    ["gemini", "---yolo"],
    ["codex", "--image", "a.png", "resume"],
    ["codex", "-sdanger-full-access"],
    ["opencode", "--"],
    ["pi", "-"],
    ["qwen", "--model", "a", "b"],
    ["qwen", "a\0b"],
  ];
  for (const [agent, ...args] of hidden) assert.notEqual(refusal(agent, { args }), "", `${agent} ${args.join(" ")}`);
  assert.ok(plan("pi", { args: ["-nc", "--thinking", "high"] }).args.includes("-nc"));
});
