import type { TaskOrder } from "../../core/task.ts";
import {
  type AgentAdapter,
  type AgentSettings,
  fillCommand,
  hasPlace,
  type OutputReader,
  prefixMessage,
  refuse,
} from "./agent-adapter.ts";
import { describeBadExit, describeEnd } from "./describe-end.ts";
import { createAnswerText } from "./event-reader.ts";
import { readEvent, valueAt } from "./read-event.ts";
import { checkArgumentLength, checkOrder } from "./take-arguments.ts";

export type CommandSettings = AgentSettings & Required<Pick<AgentSettings, "command">>;

/** Any program of the person's: what is not known of it is not assumed. */
export function createCommandAdapter(name: string, settings: CommandSettings): AgentAdapter {
  const [program, ...first] = settings.command;
  return {
    name,
    title: name,
    program,
    install: settings.install ?? `install ${program}, or fix "agents.${name}.command" in the settings`,
    canResume: hasPlace(first, "session"),
    plan(order) {
      checkOrder(name, order, { reserved: [], widening: [], commands: [] });
      checkAbilities(name, settings, order);
      const message = hasPlace(first, "system_prompt") ? order.message : prefixMessage(order);
      const args = fillCommand(first, order);
      // A "--" at the end of the command ends its options: what the order adds is one, the message is none.
      args.splice(args.at(-1) === "--" ? -1 : args.length, 0, ...order.args);
      checkLengths(name, first, order);
      const isArgument = settings.message === "argument";
      if (isArgument) checkAsArgument(name, message, args.at(-1) === "--");
      return {
        args: isArgument ? [...args, message] : args,
        ...(isArgument ? {} : { stdin: message }),
        env: settings.env ?? {},
        passes: settings.passes ?? [],
        sessionId: order.resume,
      };
    },
    openReader: () => openReader(name, settings),
  };
}

function checkLengths(name: string, command: readonly string[], { model, resume, systemPrompt }: TaskOrder): void {
  checkArgumentLength(name, "model", model ?? "");
  checkArgumentLength(name, "session to resume", resume ?? "");
  if (hasPlace(command, "system_prompt")) checkArgumentLength(name, "system prompt", systemPrompt ?? "");
}

function checkAbilities(name: string, settings: CommandSettings, order: TaskOrder): void {
  const where = `"agents.${name}.command" in the settings`;
  if (order.model !== null && !hasPlace(settings.command, "model")) {
    refuse(`${name} does not support choosing a model. Omit it, or add something like "--model={model}" to ${where}.`);
  }
  if (order.resume !== null && !hasPlace(settings.command, "session")) {
    refuse(`${name} can't resume sessions. Start a new task, or add something like "--resume={session}" to ${where}.`);
  }
  if (order.args.length > 0 && settings.acceptsArgs !== true) {
    refuse(`${name} does not accept extra args. Omit them, or set "agents.${name}.accepts_args" in the settings.`);
  }
}

function checkAsArgument(name: string, message: string, isBehindDashes: boolean): void {
  checkArgumentLength(name, "message", message);
  if (message.includes("\0"))
    refuse(`The message for ${name} contains a NUL character, which can't be passed as an argument.`);
  if (!message.startsWith("-") || isBehindDashes) return;
  refuse(
    `The message starts with a dash, so ${name} would read it as an option. In the settings, end "agents.${name}.command" with ` +
      `"--" if ${name} supports that, or set "agents.${name}.message" to "stdin".`,
  );
}

/** All that such a program says of success is its exit code; an answer must be there as well. */
function openReader(name: string, settings: CommandSettings): OutputReader {
  const answer = createAnswerText();
  const resultPath = (settings.resultField ?? "result").split(".");
  const sessionPath = settings.sessionField?.split(".");
  let stray = "";
  /** The last event that held nothing we look for. */
  let other = "";
  return {
    line(text) {
      if (settings.output !== "json_lines") {
        answer.add(`${text}\n`);
        return text.trim() === "" ? undefined : { progress: text.trim().slice(0, 200) };
      }
      const event = readEvent(text);
      if (!event) {
        stray = `${stray}\n${text.slice(-4000)}`.slice(-4000);
        return undefined;
      }
      const result = asText(valueAt(event, ...resultPath));
      if (result !== undefined) {
        answer.next();
        answer.add(result);
      }
      const sessionId = sessionPath && asText(valueAt(event, ...sessionPath));
      if (result === undefined && sessionId === undefined) {
        other = text.slice(-4000);
        return undefined;
      }
      return {
        ...(sessionId === undefined ? {} : { sessionId }),
        ...(result === undefined ? {} : { progress: result.trim().slice(0, 200) }),
      };
    },
    end(exit) {
      const text = settings.output === "json_lines" ? answer.text() : answer.text().trim();
      if (exit.code === 0 && text !== "") return { ok: true, text };
      if (settings.output !== "json_lines") return { ok: false, error: describeEnd(name, exit, text.slice(-4000)) };
      if (text !== "") return { ok: false, error: describeBadExit(name, exit, text.slice(-4000)) };
      const error = describeEnd(name, exit, stray || other);
      if (exit.code !== 0 || stray !== "" || other === "") return { ok: false, error };
      const field = `None of its JSON lines has "${resultPath.join(".")}"`;
      return { ok: false, error: `${error} ${field}: check "agents.${name}.result_field" in the settings.` };
    },
    partial: () => answer.text(),
  };
}

function asText(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}
