import { join } from "node:path";
import type { AgentAdapter, ReaderNews } from "./agent-adapter.ts";
import { describeFailure } from "./describe-end.ts";
import { createAnswerText, createEventReader, describeCall, type EventReading } from "./event-reader.ts";
import { textAt, valueAt, type AgentEvent } from "./read-event.ts";
import { type ArgumentRules, checkOrder, words } from "./take-arguments.ts";

export const opencodeAdapter: AgentAdapter = {
  name: "opencode",
  title: "opencode",
  program: "opencode",
  install: "npm install -g opencode-ai",
  canResume: true,
  plan(order, { folder }) {
    const args = checkOrder("opencode", order, rules);
    const { systemPrompt, model, resume } = order;
    // Joined with what the person's own configuration says.
    const configuration = { instructions: [join(folder, systemFile)] };
    return {
      args: [
        "run",
        "--format=json",
        ...(model === null ? [] : [`--model=${model}`]),
        ...(resume === null ? [] : [`--session=${resume}`]),
        ...(order.bypassesPermissions ? ["--auto"] : []),
        ...args,
      ],
      stdin: order.message,
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        ...(systemPrompt === null ? {} : { OPENCODE_CONFIG_CONTENT: JSON.stringify(configuration) }),
      },
      passes,
      ...(systemPrompt === null ? {} : { files: { [systemFile]: systemPrompt } }),
      sessionId: resume,
    };
  },
  openReader: () => createEventReader("opencode", readOpencode()),
};

/**
 * It has no event that says "done": its last step ends with "stop", and nothing went wrong before. Some models say "stop" when they
 * have called tools as well; then it goes on, and may be silent for as long as the model thinks.
 */
function readOpencode(): EventReading {
  const answer = createAnswerText();
  let problem: string | undefined;
  let hasStopped = false;
  let hasCalled = false;
  return {
    take(event) {
      const sessionId = textAt(event, "sessionID");
      return { ...(sessionId === undefined ? {} : { sessionId }), ...take(event) };
    },
    verdict() {
      if (problem !== undefined) return { ok: false, error: problem };
      return hasStopped ? { ok: true, text: answer.text() } : undefined;
    },
    partial: () => answer.text(),
  };

  function take(event: AgentEvent): ReaderNews {
    const part = valueAt(event, "part");
    switch (event["type"]) {
      case "step_start":
        hasStopped = false;
        hasCalled = false;
        return { isDone: false };
      case "text": {
        const text = textAt(part, "text");
        if (text === undefined) return {};
        answer.next();
        answer.add(text);
        return { progress: text };
      }
      case "tool_use": {
        hasCalled = true;
        const title = textAt(part, "state", "title");
        const tool = textAt(part, "tool") ?? "a tool";
        return {
          progress: title === undefined ? describeCall(tool, valueAt(part, "state", "input")) : `${tool}: ${title}`,
        };
      }
      case "step_finish":
        hasStopped = valueAt(part, "reason") === "stop";
        return { isDone: hasStopped && !hasCalled };
      case "error": {
        const said = textAt(event, "error", "data", "message") ?? textAt(event, "error", "message");
        problem = describeFailure("opencode", said ?? textAt(event, "error", "name"), "it did not say why");
        return { progress: problem };
      }
      default:
        return {};
    }
  }
}

const systemFile = "system-prompt.md";

const rules: ArgumentRules = {
  reserved: words(
    "--format --session -s --continue -c --interactive -i --attach --dir --port --password -p --username -u --command",
    "--mini --help -h --version -v",
  ),
  bypassing: words("--auto --dangerously-skip-permissions --yolo"),
  widening: words("--share"),
  commands: [],
};

const passes = words(
  "OPENCODE_CONFIG OPENCODE_CONFIG_CONTENT OPENCODE_CONFIG_DIR OPENCODE_PERMISSION OPENCODE_API_KEY ANTHROPIC_API_KEY",
  "OPENAI_API_KEY GEMINI_API_KEY GOOGLE_GENERATIVE_AI_API_KEY GOOGLE_APPLICATION_CREDENTIALS GOOGLE_CLOUD_PROJECT",
  "GOOGLE_VERTEX_LOCATION OPENROUTER_API_KEY GROQ_API_KEY MISTRAL_API_KEY XAI_API_KEY DEEPSEEK_API_KEY GITHUB_TOKEN",
  "AWS_PROFILE AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_BEARER_TOKEN_BEDROCK",
  "AZURE_API_KEY AZURE_RESOURCE_NAME OPENCODE_DISABLE_MODELS_FETCH",
);
