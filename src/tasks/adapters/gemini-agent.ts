import { type AgentAdapter, type AgentVerdict, prefixMessage } from "./agent-adapter.ts";
import { describeFailure } from "./describe-end.ts";
import { createAnswerText, createEventReader, describeCall, type EventReading } from "./event-reader.ts";
import { textAt, valueAt } from "./read-event.ts";
import { type ArgumentRules, checkMessageLength, checkOrder, words } from "./take-arguments.ts";

export const geminiAdapter: AgentAdapter = {
  name: "gemini",
  title: "Gemini CLI",
  program: "gemini",
  install: "npm install -g @google/gemini-cli",
  canResume: true,
  plan(order, { sessionId }) {
    const args = checkOrder("gemini", order, rules);
    // What it takes as a system prompt replaces its own, and with it all that its tools need said.
    const message = prefixMessage(order);
    checkMessageLength("gemini", { ...order, message }, { count: maxStdinBytes, unit: "bytes" });
    const { model, resume } = order;
    return {
      args: [
        "--output-format=stream-json",
        ...(model === null ? [] : [`--model=${model}`]),
        resume === null ? `--session-id=${sessionId}` : `--resume=${resume}`,
        ...(order.bypassesPermissions ? ["--approval-mode=yolo", "--skip-trust"] : []),
        ...args,
      ],
      stdin: message,
      env: {},
      passes,
      sessionId: resume ?? sessionId,
    };
  },
  openReader: () => createEventReader("gemini", readGemini()),
};

function readGemini(): EventReading {
  const answer = createAnswerText();
  let problem: string | undefined;
  let verdict: AgentVerdict | undefined;
  return {
    take(event) {
      switch (event["type"]) {
        case "init": {
          const sessionId = textAt(event, "session_id");
          return sessionId === undefined ? undefined : { sessionId };
        }
        case "message": {
          const text = textAt(event, "content");
          if (event["role"] !== "assistant" || text === undefined) return undefined;
          if (event["delta"] !== true) answer.next();
          answer.add(text);
          return { progress: answer.text() };
        }
        case "tool_use":
          answer.next();
          return { progress: describeCall(textAt(event, "tool_name") ?? "a tool", valueAt(event, "parameters")) };
        case "error":
          problem = textAt(event, "message") ?? problem;
          return problem === undefined ? undefined : { progress: problem };
        case "result": {
          const reason = textAt(event, "error", "message") ?? problem;
          verdict =
            event["status"] === "success"
              ? { ok: true, text: answer.text() }
              : { ok: false, error: describeFailure("gemini", reason, "it did not say why") };
          return { isDone: true };
        }
        default:
          return undefined;
      }
    },
    verdict: () => verdict,
    partial: () => answer.text(),
  };
}

/** What comes after it is cut off without a word. */
const maxStdinBytes = 8 * 1024 * 1024;

const rules: ArgumentRules = {
  reserved: words(
    "--output-format -o --prompt -p --prompt-interactive -i --acp --experimental-acp --session-id --resume -r",
    "--session-file --list-sessions --delete-session --list-extensions -l --raw-output --help -h --version -v",
  ),
  bypassing: words("--yolo -y --approval-mode=yolo --skip-trust"),
  widening: words(
    "--allowed-tools --allowed-mcp-server-names --policy --admin-policy --extensions -e",
    "--include-directories --accept-raw-output-risk --no-sandbox --no-s",
  ),
  harmless: words("--approval-mode=plan --approval-mode=default --sandbox=true -s=true"),
  commands: words("mcp extensions extension skills skill hooks hook gemma"),
};

const passes = words(
  "GEMINI_API_KEY GOOGLE_API_KEY GOOGLE_GEMINI_BASE_URL GOOGLE_VERTEX_BASE_URL GEMINI_MODEL GEMINI_CLI_HOME",
  "GOOGLE_GENAI_USE_VERTEXAI GOOGLE_GENAI_USE_GCA GOOGLE_CLOUD_PROJECT GOOGLE_CLOUD_PROJECT_ID GOOGLE_CLOUD_LOCATION",
  "GOOGLE_APPLICATION_CREDENTIALS CODE_ASSIST_ENDPOINT GEMINI_SANDBOX GEMINI_CLI_SYSTEM_SETTINGS_PATH",
  "GEMINI_CLI_SYSTEM_DEFAULTS_PATH GEMINI_CLI_TRUST_WORKSPACE",
);
