import { join } from "node:path";
import { secretsFile, type AgentAdapter, type AgentVerdict } from "./agent-adapter.ts";
import { describeFailure } from "./describe-end.ts";
import { createAnswerText, createEventReader, type EventReading } from "./event-reader.ts";
import { textAt } from "./read-event.ts";
import { type ArgumentRules, checkOrder, words } from "./take-arguments.ts";

export const deckhandAdapter: AgentAdapter = {
  name: "deckhand",
  title: "Deckhand",
  program: "deckhand",
  install: "npm pack in a clone of Deckhand, then npm install -g ./deckhand-*.tgz",
  canResume: true,
  plan(order, { folder, secrets = [] }) {
    const args = checkOrder("deckhand", order, rules);
    const { systemPrompt, model, resume } = order;
    // It gets few variables, so that it could not know the values of the others. Not as a variable: its commands might read that.
    const hidden = secrets.length > 0;
    const files = {
      ...(systemPrompt === null ? {} : { [systemFile]: systemPrompt }),
      ...(hidden ? { [secretsFile]: JSON.stringify(secrets) } : {}),
    };
    return {
      args: [
        "run",
        "--json",
        ...(systemPrompt === null ? [] : [`--append-system-prompt-file=${join(folder, systemFile)}`]),
        ...(model === null ? [] : [`--model=${model}`]),
        ...(resume === null ? [] : [`--session=${resume}`]),
        ...(order.bypassesPermissions ? ["--mode=auto"] : []),
        ...args,
        "-",
      ],
      stdin: order.message,
      env: hidden ? { DECKHAND_SECRETS_FILE: join(folder, secretsFile) } : {},
      passes,
      ...(Object.keys(files).length === 0 ? {} : { files }),
      sessionId: resume,
    };
  },
  openReader: () => createEventReader("deckhand", readDeckhand()),
};

function readDeckhand(): EventReading {
  const answer = createAnswerText();
  let verdict: AgentVerdict | undefined;
  return {
    take(event) {
      switch (event["type"]) {
        case "run:started": {
          const sessionId = textAt(event, "session_id");
          return sessionId === undefined ? undefined : { sessionId };
        }
        case "turn:started":
        case "reply:discarded":
          answer.next();
          return undefined;
        case "reply:text":
          answer.add(textAt(event, "text") ?? "");
          return { progress: answer.text() };
        case "call:added":
          return { progress: `${textAt(event, "tool") ?? "a tool"}: ${textAt(event, "title") ?? ""}` };
        case "model:retrying":
          return { progress: `retrying: ${textAt(event, "message") ?? ""}` };
        case "run:ended": {
          const state = textAt(event, "state");
          const otherwise = state === undefined ? "it did not say why" : state.replaceAll("_", " ");
          verdict =
            state === "answered"
              ? { ok: true, text: textAt(event, "text") ?? answer.text() }
              : { ok: false, error: describeFailure("deckhand", textAt(event, "reason"), otherwise) };
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

const systemFile = "system-prompt.md";

const rules: ArgumentRules = {
  reserved: words(
    "--json --session --continue -c --workdir --quiet -q --inbox --append-system-prompt --append-system-prompt-file",
    "--help -h",
  ),
  bypassing: words("--mode=auto"),
  widening: words("--yes-danger --image"),
  harmless: words("--mode=ask --mode=plan --mode=never"),
  commands: [],
};

const passes = words(
  "DECKHAND_MODEL DECKHAND_MODEL_NAME DECKHAND_MODEL_BASE_URL DECKHAND_PERMISSIONS_MODE DECKHAND_SANDBOX",
  "DECKHAND_SANDBOX_MODE DECKHAND_SANDBOX_NETWORK DECKHAND_PERMISSIONS_STRICT_WORKDIR_ONLY ANTHROPIC_API_KEY",
  "ANTHROPIC_BASE_URL OPENAI_API_KEY OPENAI_BASE_URL GEMINI_API_KEY GEMINI_BASE_URL GOOGLE_API_KEY",
  "GOOGLE_GEMINI_BASE_URL GOOGLE_GENERATIVE_AI_API_KEY OLLAMA_HOST LMSTUDIO_BASE_URL LM_STUDIO_BASE_URL",
  "OPENROUTER_API_KEY GROQ_API_KEY MISTRAL_API_KEY DEEPSEEK_API_KEY XAI_API_KEY",
);
