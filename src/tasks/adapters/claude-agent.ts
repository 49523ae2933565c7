import { join } from "node:path";
import type { AgentAdapter, AgentVerdict, ReaderNews } from "./agent-adapter.ts";
import { describeFailure } from "./describe-end.ts";
import { createAnswerText, createEventReader, describeCall, type EventReading } from "./event-reader.ts";
import { listAt, textAt, valueAt, type AgentEvent } from "./read-event.ts";
import { type ArgumentRules, checkOrder, words } from "./take-arguments.ts";

export const claudeAdapter: AgentAdapter = {
  name: "claude",
  title: "Claude Code",
  program: "claude",
  install: "npm install -g @anthropic-ai/claude-code",
  canResume: true,
  plan(order, { folder, sessionId }) {
    const args = checkOrder("claude", order, rules);
    const { systemPrompt, model, resume } = order;
    return {
      args: [
        "--print",
        "--output-format=stream-json",
        "--verbose",
        ...(systemPrompt === null ? [] : [`--append-system-prompt-file=${join(folder, systemFile)}`]),
        ...(model === null ? [] : [`--model=${model}`]),
        resume === null ? `--session-id=${sessionId}` : `--resume=${resume}`,
        ...(order.bypassesPermissions ? ["--dangerously-skip-permissions"] : []),
        ...args,
      ],
      stdin: order.message,
      env: { DISABLE_AUTOUPDATER: "1" },
      passes,
      ...(systemPrompt === null ? {} : { files: { [systemFile]: systemPrompt } }),
      sessionId: resume ?? sessionId,
    };
  },
  openReader: () => createEventReader("claude", readClaude("claude")),
};

/** Qwen Code's events are of the same kind. */
export function readClaude(name: string): EventReading {
  const answer = createAnswerText();
  let verdict: AgentVerdict | undefined;
  return {
    take(event) {
      const sessionId = textAt(event, "session_id");
      return { ...(sessionId === undefined ? {} : { sessionId }), ...take(event) };
    },
    verdict: () => verdict,
    partial: () => answer.text(),
  };

  function take(event: AgentEvent): ReaderNews {
    if (event["type"] === "result") {
      verdict = judge(event);
      return { isDone: true };
    }
    // What an agent of its agent says is not its answer.
    if (event["type"] !== "assistant" || textAt(event, "parent_tool_use_id") !== undefined) return {};
    let progress: string | undefined;
    for (const part of listAt(event, "message", "content")) {
      const text = textAt(part, "text");
      if (valueAt(part, "type") === "text" && text !== undefined) {
        answer.next();
        answer.add(text);
        progress = text;
      }
      if (valueAt(part, "type") !== "tool_use") continue;
      progress = describeCall(textAt(part, "name") ?? "a tool", valueAt(part, "input"));
    }
    return progress === undefined ? {} : { progress };
  }

  /** `subtype: "success"` also stands beside `is_error: true`, so only the latter counts. */
  function judge(event: AgentEvent): AgentVerdict {
    const said = textAt(event, "result");
    const subtype = textAt(event, "subtype") ?? "success";
    if (event["is_error"] === false && subtype === "success") return { ok: true, text: said ?? answer.text() };
    const errors = listAt(event, "errors").filter((error) => typeof error === "string");
    const problem = textAt(event, "error", "message") ?? textAt(event, "error");
    const otherwise = subtype === "success" ? "it did not say why" : subtype.replaceAll("_", " ");
    const reason = problem ?? (errors.length > 0 ? errors.join("; ") : said);
    return { ok: false, error: describeFailure(name, reason, otherwise) };
  }
}

const systemFile = "system-prompt.md";

const rules: ArgumentRules = {
  reserved: words(
    "--output-format --input-format --append-system-prompt-file --session-id --resume -r --continue -c --from-pr",
    "--bg --background --cloud --remote --environment --pool --desktop --remote-control --rc --teleport --tmux --attach-serve",
    "--replay-user-messages --sdk-url --session-mirror --rewind-files --init-only --gateway-json --help -h --version -v",
  ),
  bypassing: words("--dangerously-skip-permissions --permission-mode=bypasspermissions"),
  widening: words(
    "--allow-dangerously-skip-permissions --permission-prompt-tool --permission-prompts --allowed-tools --settings --setting-sources",
    "--managed-settings --mcp-config --plugin-dir --plugin-dir-no-mcp --plugin-url --agents --add-dir --bare --safe-mode",
    "--enable-auto-mode --channels --chrome --debug-file --init --maintenance",
  ),
  harmless: words(
    "--permission-mode=plan --permission-mode=default --permission-mode=manual",
    "--inherit-permission-mode=plan --inherit-permission-mode=default --inherit-permission-mode=manual",
  ),
  commands: words(
    "agents attach auth auto-mode doctor gateway import install logs mcp plugin plugins project purge respawn rm",
    "setup-token stop kill ultrareview update upgrade",
  ),
};

const passes = words(
  "ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN ANTHROPIC_BASE_URL ANTHROPIC_CUSTOM_HEADERS ANTHROPIC_MODEL",
  "ANTHROPIC_SMALL_FAST_MODEL ANTHROPIC_DEFAULT_OPUS_MODEL ANTHROPIC_DEFAULT_SONNET_MODEL",
  "ANTHROPIC_DEFAULT_HAIKU_MODEL CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CONFIG_DIR CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX CLAUDE_CODE_USE_FOUNDRY ANTHROPIC_BEDROCK_BASE_URL ANTHROPIC_VERTEX_BASE_URL",
  "ANTHROPIC_VERTEX_PROJECT_ID CLOUD_ML_REGION AWS_PROFILE AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN AWS_BEARER_TOKEN_BEDROCK GOOGLE_APPLICATION_CREDENTIALS MAX_THINKING_TOKENS",
  "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC CLAUDE_CODE_MAX_OUTPUT_TOKENS",
);
