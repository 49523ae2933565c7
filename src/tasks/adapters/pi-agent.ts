import { join } from "node:path";
import type { AgentAdapter, AgentVerdict, ReaderNews } from "./agent-adapter.ts";
import { describeFailure } from "./describe-end.ts";
import { createAnswerText, createEventReader, describeCall, type EventReading } from "./event-reader.ts";
import { listAt, textAt, valueAt } from "./read-event.ts";
import { type ArgumentRules, checkOrder, words } from "./take-arguments.ts";

/** It asks nobody before it does something, so there is nothing to bypass. */
export const piAdapter: AgentAdapter = {
  name: "pi",
  title: "pi",
  program: "pi",
  install: "npm install -g @earendil-works/pi-coding-agent",
  canResume: true,
  plan(order, { folder, sessionId }) {
    const args = checkOrder("pi", order, rules);
    const { systemPrompt, model, resume } = order;
    return {
      args: [
        "--print",
        "--mode",
        "json",
        // The one makes a session that is not there, the other only goes on with one.
        ...(resume === null ? ["--session-id", sessionId] : ["--session", resume]),
        ...(systemPrompt === null ? [] : ["--append-system-prompt", join(folder, systemFile)]),
        ...(model === null ? [] : ["--model", model]),
        ...args,
      ],
      stdin: order.message,
      env: {},
      passes,
      ...(systemPrompt === null ? {} : { files: { [systemFile]: systemPrompt } }),
      sessionId: resume ?? sessionId,
    };
  },
  openReader: () => createEventReader("pi", readPi()),
};

/** It exits with 0 whatever happened: what its last message says counts. */
function readPi(): EventReading {
  const answer = createAnswerText();
  let verdict: AgentVerdict | undefined;
  return {
    take(event) {
      switch (event["type"]) {
        case "session": {
          const sessionId = textAt(event, "id");
          return sessionId === undefined ? undefined : { sessionId };
        }
        case "turn_start":
          verdict = undefined;
          return undefined;
        case "message_end":
          return valueAt(event, "message", "role") === "assistant" ? takeMessage(event["message"]) : undefined;
        case "tool_execution_start":
          return { progress: describeCall(textAt(event, "toolName") ?? "a tool", valueAt(event, "args")) };
        case "auto_retry_start": {
          const reason = textAt(event, "errorMessage");
          return { progress: reason === undefined ? "retrying" : `retrying: ${reason}` };
        }
        case "agent_settled":
          return { isDone: true };
        default:
          return undefined;
      }
    },
    verdict: () => verdict,
    partial: () => answer.text(),
  };

  function takeMessage(message: unknown): ReaderNews | undefined {
    const texts = listAt(message, "content").filter((part) => valueAt(part, "type") === "text");
    const text = texts.map((part) => textAt(part, "text") ?? "").join("");
    answer.next();
    answer.add(text);
    verdict = judge(message);
    return text === "" ? undefined : { progress: text };
  }

  function judge(message: unknown): AgentVerdict | undefined {
    const reason = textAt(message, "stopReason");
    if (reason === "stop") return { ok: true, text: answer.text() };
    if (reason === "toolUse") return undefined;
    const otherwise = reason === "length" ? "its answer was cut at the model's limit" : `it stopped (${reason})`;
    return { ok: false, error: describeFailure("pi", textAt(message, "errorMessage"), otherwise) };
  }
}

const systemFile = "system-prompt.md";

const rules: ArgumentRules = {
  reserved: words(
    "--mode --session --session-id --session-dir --no-session --continue -c --resume -r --fork --export --list-models",
    "--api-key --help -h --version -v",
  ),
  widening: words("--approve -a --extension -e --skill --prompt-template --theme"),
  commands: words("install remove uninstall update list config auth"),
  longShort: words("-nt -nbt -xt -ne -ns -np -nc -na"),
};

const passes = words(
  "PI_CODING_AGENT_DIR PI_CODING_AGENT_SESSION_DIR PI_OFFLINE PI_TELEMETRY ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN",
  "ANTHROPIC_OAUTH_TOKEN OPENAI_API_KEY AZURE_OPENAI_API_KEY AZURE_OPENAI_BASE_URL AZURE_OPENAI_RESOURCE_NAME",
  "GEMINI_API_KEY GROQ_API_KEY CEREBRAS_API_KEY XAI_API_KEY OPENROUTER_API_KEY AI_GATEWAY_API_KEY ZAI_API_KEY",
  "MISTRAL_API_KEY MINIMAX_API_KEY MOONSHOT_API_KEY KIMI_API_KEY DEEPSEEK_API_KEY FIREWORKS_API_KEY TOGETHER_API_KEY",
  "OPENCODE_API_KEY AWS_PROFILE AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_BEARER_TOKEN_BEDROCK",
);
