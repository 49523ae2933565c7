import type { AgentAdapter, AgentVerdict } from "./agent-adapter.ts";
import { describeFailure } from "./describe-end.ts";
import { createAnswerText, createEventReader, describeCall, type EventReading } from "./event-reader.ts";
import { textAt, valueAt, type AgentEvent } from "./read-event.ts";
import { type ArgumentRules, checkArgumentLength, checkMessageLength, checkOrder, words } from "./take-arguments.ts";

export const codexAdapter: AgentAdapter = {
  name: "codex",
  title: "Codex CLI",
  program: "codex",
  install: "npm install -g @openai/codex",
  canResume: true,
  plan(order) {
    const args = checkOrder("codex", order, rules);
    const { systemPrompt, model, resume } = order;
    checkMessageLength("codex", order, { count: 2 ** 20, unit: "characters" });
    if (systemPrompt !== null) checkArgumentLength("codex", "system prompt", systemPrompt);
    return {
      args: [
        "exec",
        // Outside a repository it would refuse to begin; its sandbox stays as it is.
        "--skip-git-repo-check",
        ...(systemPrompt === null ? [] : [`--config=developer_instructions=${tomlText(systemPrompt)}`]),
        ...(model === null ? [] : [`--model=${model}`]),
        ...(order.bypassesPermissions ? ["--dangerously-bypass-approvals-and-sandbox"] : []),
        ...args,
        // Behind the order's: an option that takes several values is ended by the next option only.
        "--json",
        ...(resume === null ? ["-"] : ["resume", resume, "-"]),
      ],
      stdin: order.message,
      env: {},
      passes,
      sessionId: resume,
    };
  },
  openReader: () => createEventReader("codex", readCodex()),
};

function readCodex(): EventReading {
  const answer = createAnswerText();
  let verdict: AgentVerdict | undefined;
  return {
    take(event) {
      switch (event["type"]) {
        case "thread.started": {
          const sessionId = textAt(event, "thread_id");
          return sessionId === undefined ? undefined : { sessionId };
        }
        case "turn.started":
          verdict = undefined;
          return { isDone: false };
        case "item.started":
        case "item.completed":
          return takeItem(event);
        case "turn.completed":
          verdict = { ok: true, text: answer.text() };
          return { isDone: true };
        case "turn.failed":
          verdict = {
            ok: false,
            error: describeFailure("codex", textAt(event, "error", "message"), "its turn failed"),
          };
          return { isDone: true };
        case "error": {
          // Also told of what it tries again: only the turn's own end counts.
          const progress = textAt(event, "message");
          return progress === undefined ? undefined : { progress };
        }
        default:
          return undefined;
      }
    },
    verdict: () => verdict,
    partial: () => answer.text(),
  };

  function takeItem(event: AgentEvent): { readonly progress: string } | undefined {
    const item = valueAt(event, "item");
    const text = textAt(item, "text");
    switch (valueAt(item, "type")) {
      case "agent_message":
        if (event["type"] !== "item.completed" || text === undefined) return undefined;
        answer.next();
        answer.add(text);
        return { progress: text };
      case "reasoning":
        return text === undefined ? undefined : { progress: text };
      case "command_execution":
        return { progress: describeCall("shell", item) };
      case "web_search":
        return { progress: describeCall("web search", item) };
      case "mcp_tool_call":
        return { progress: describeCall(textAt(item, "tool") ?? "a tool", valueAt(item, "arguments")) };
      case "file_change":
        return { progress: "editing files" };
      // "error" items are warnings: a run that failed says so itself.
      default:
        return undefined;
    }
  }
}

/** A TOML string: what JSON writes, but for one character that TOML wants escaped and JSON does not. */
function tomlText(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll("\u007F", "\\u007F");
}

const rules: ArgumentRules = {
  reserved: words(
    "--json --color --output-last-message -o --ephemeral --cd -C --last --all --remote --help -h --version -V",
  ),
  bypassing: words(
    "--dangerously-bypass-approvals-and-sandbox --yolo --full-auto --approve-for-me --sandbox=danger-full-access -s=danger-full-access",
  ),
  widening: words(
    "--dangerously-bypass-hook-trust --config -c --profile -p --enable --disable --add-dir",
    "--ignore-rules --ignore-user-config --ask-for-approval -a",
  ),
  harmless: words("--sandbox=read-only --sandbox=workspace-write -s=read-only -s=workspace-write"),
  commands: words("resume fork review help"),
};

const passes = words(
  "OPENAI_API_KEY OPENAI_BASE_URL OPENAI_ORGANIZATION OPENAI_PROJECT CODEX_API_KEY CODEX_HOME CODEX_ACCESS_TOKEN",
  "AZURE_OPENAI_API_KEY CODEX_CA_CERTIFICATE CODEX_SQLITE_HOME",
);
