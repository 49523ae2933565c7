import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AgentAdapter, type AgentVerdict, fillCommand, hasPlace, refuse } from "./agent-adapter.ts";
import type { DriverEvent, DriverOrder } from "./acp/acp-session.ts";
import { createAnswerText, createEventReader, type EventReading } from "./event-reader.ts";
import { checkOrder } from "./take-arguments.ts";
import type { CommandSettings } from "./command-agent.ts";
import { describeFailure } from "./describe-end.ts";
import { textAt } from "./read-event.ts";

/** Any agent that speaks the Agent Client Protocol over its stdin and stdout. */
export function createAcpAdapter(name: string, settings: CommandSettings): AgentAdapter {
  const [program] = settings.command;
  return {
    name,
    title: `${name} (ACP)`,
    program,
    install: settings.install ?? `install ${program}, or fix "agents.${name}.command" in the settings`,
    canResume: true,
    plan(order, { folder }) {
      checkOrder(name, order, { reserved: [], widening: [], commands: [] });
      if (order.args.length > 0 && settings.acceptsArgs !== true) {
        refuse(`${name} does not accept extra args. Omit them, or set "agents.${name}.accepts_args" in the settings.`);
      }
      const { message, cwd, resume, bypassesPermissions } = order;
      // What the command says already is not said twice.
      const model = hasPlace(settings.command, "model") ? null : order.model;
      const systemPrompt = hasPlace(settings.command, "system_prompt") ? null : order.systemPrompt;
      const told: DriverOrder = { message, systemPrompt, model, cwd, resume, bypassesPermissions };
      return {
        program: "/bin/sh",
        args: [
          "-c",
          script,
          "deckhand-acp",
          folder,
          process.execPath,
          driver,
          join(folder, orderFile),
          ...fillCommand(settings.command, order),
          ...order.args,
        ],
        env: settings.env ?? {},
        passes: settings.passes ?? [],
        files: { [orderFile]: JSON.stringify(told) },
        sessionId: resume,
      };
    },
    openReader: () => createEventReader(name, readAcp(name)),
  };
}

function readAcp(name: string): EventReading {
  const answer = createAnswerText();
  let verdict: AgentVerdict | undefined;
  return {
    take(event) {
      switch (event["type"] as DriverEvent["type"]) {
        case "session": {
          const sessionId = textAt(event, "session_id");
          return sessionId === undefined ? undefined : { sessionId };
        }
        case "text":
          answer.add(textAt(event, "text") ?? "");
          return { progress: answer.text() };
        case "call":
          answer.next();
          return { progress: textAt(event, "title") ?? "calling a tool" };
        case "end":
          verdict =
            event["ok"] === true
              ? { ok: true, text: answer.text() }
              : { ok: false, error: describeFailure(name, textAt(event, "error"), "it did not say why") };
          return { isDone: true };
        default:
          return undefined;
      }
    },
    verdict: () => verdict,
    partial: () => answer.text(),
  };
}

const orderFile = "acp-order.json";

/** Built, all lies in one folder. */
const driver = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "./acp/acp-driver.ts" : "./acp-driver.js", import.meta.url),
);

/**
 * The agent and its driver, each one's output the other's input, in one process group. The driver tells what happens on 3,
 * which is the task's output. The pipes are opened in the one order that does not wait for ever, and in a subshell: some
 * shells open them themselves otherwise, and the agent would never see its input end. An agent that stays is ended.
 */
const script = `
folder=$1 node=$2 driver=$3 order=$4
shift 4
rm -f "$folder/to-agent" "$folder/from-agent"
mkfifo -m 600 "$folder/to-agent" "$folder/from-agent" || exit 1
"$@" <"$folder/to-agent" >"$folder/from-agent" &
agent=$!
(exec "$node" "$driver" "$order" 3>&1 >"$folder/to-agent" <"$folder/from-agent")
code=$?
kill "$agent" 2>/dev/null && { sleep 1; kill -9 "$agent" 2>/dev/null; }
rm -f "$folder/to-agent" "$folder/from-agent"
exit "$code"
`;
