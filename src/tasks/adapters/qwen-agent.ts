import type { AgentAdapter } from "./agent-adapter.ts";
import { readClaude } from "./claude-agent.ts";
import { createEventReader } from "./event-reader.ts";
import { type ArgumentRules, checkArgumentLength, checkMessageLength, checkOrder, words } from "./take-arguments.ts";

export const qwenAdapter: AgentAdapter = {
  name: "qwen",
  title: "Qwen Code",
  program: "qwen",
  install: "npm install -g @qwen-code/qwen-code",
  canResume: true,
  plan(order, { sessionId }) {
    const args = checkOrder("qwen", order, rules);
    checkMessageLength("qwen", order, { count: maxStdinBytes, unit: "bytes" });
    const { systemPrompt, model, resume } = order;
    if (systemPrompt !== null) checkArgumentLength("qwen", "system prompt", systemPrompt);
    return {
      args: [
        "--output-format=stream-json",
        ...(systemPrompt === null ? [] : [`--append-system-prompt=${systemPrompt}`]),
        ...(model === null ? [] : [`--model=${model}`]),
        resume === null ? `--session-id=${sessionId}` : `--resume=${resume}`,
        ...(order.bypassesPermissions ? ["--approval-mode=yolo"] : []),
        ...args,
      ],
      stdin: order.message,
      env: {},
      passes,
      sessionId: resume ?? sessionId,
    };
  },
  openReader: () => createEventReader("qwen", readClaude("qwen")),
};

/** What comes after it is cut off without a word. */
const maxStdinBytes = 8 * 1024 * 1024;

const rules: ArgumentRules = {
  reserved: words(
    "--output-format -o --input-format --prompt -p --prompt-interactive -i --acp --session-id --resume -r --continue -c",
    "--json-fd --json-file --input-file --channel --list-extensions -l --append-system-prompt --help -h --version -v",
  ),
  bypassing: words("--yolo -y --approval-mode=yolo"),
  widening: words(
    "--allowed-tools --allowed-mcp-server-names --mcp-config --extensions -e",
    "--include-directories --add-dir --insecure --no-sandbox --no-s --sandbox-image --proxy --openai-base-url --bare",
    "--safe-mode --openai-logging-dir --telemetry-outfile --telemetry-otlp-endpoint",
  ),
  harmless: words("--approval-mode=plan --approval-mode=default --sandbox=true -s=true"),
  commands: words("auth board channel extensions hooks mcp review sandbox serve sessions update"),
};

const passes = words(
  "OPENAI_API_KEY OPENAI_BASE_URL OPENAI_MODEL DASHSCOPE_API_KEY BAILIAN_CODING_PLAN_API_KEY ANTHROPIC_API_KEY",
  "ANTHROPIC_BASE_URL ANTHROPIC_MODEL GEMINI_API_KEY GEMINI_MODEL GOOGLE_API_KEY GOOGLE_CLOUD_PROJECT",
  "GOOGLE_CLOUD_LOCATION GOOGLE_APPLICATION_CREDENTIALS QWEN_MODEL QWEN_DEFAULT_AUTH_TYPE QWEN_SANDBOX QWEN_HOME",
  "QWEN_RUNTIME_DIR QWEN_CODE_SYSTEM_SETTINGS_PATH QWEN_CODE_SYSTEM_DEFAULTS_PATH",
);
