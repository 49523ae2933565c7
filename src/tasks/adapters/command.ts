import type { TaskOrder } from "../../core/task.ts";
import type { AgentAdapter, OutputReader } from "./agent-adapter.ts";
import type { AgentSettings } from "./agent-settings.ts";
import { createAnswerText } from "./answer-text.ts";
import { checkArgumentLength, checkOrder } from "./check-order.ts";
import { describeBadExit, describeEnd } from "./describe-end.ts";
import { fillCommand, hasPlace } from "./fill-command.ts";
import { prefixMessage } from "./prefix-message.ts";
import { readEvent, valueAt } from "./read-event.ts";
import { refuse } from "./refuse.ts";

export type CommandSettings = AgentSettings & Required<Pick<AgentSettings, "command">>;

/** Any program of the person's: what is not known of it is not assumed. */
export function createCommandAdapter(name: string, settings: CommandSettings): AgentAdapter {
  const [program, ...first] = settings.command;
  return {
    name,
    title: name,
    program,
    install: settings.install ?? `install ${program}, or correct "agents.${name}.command" in the settings`,
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
  const where = `"agents.${name}.command" of the settings`;
  if (order.model !== null && !hasPlace(settings.command, "model")) {
    refuse(`${name} has no way to choose a model: leave it out, or put "--model={model}" or the like into ${where}.`);
  }
  if (order.resume !== null && !hasPlace(settings.command, "session")) {
    refuse(
      `${name} can't go on with a session: start a new task, or put "--resume={session}" or the like into ${where}.`,
    );
  }
  if (order.args.length > 0 && settings.acceptsArgs !== true) {
    refuse(`${name} takes no further args: leave them out, or set "agents.${name}.accepts_args" in the settings.`);
  }
}

function checkAsArgument(name: string, message: string, isBehindDashes: boolean): void {
  checkArgumentLength(name, "message", message);
  if (message.includes("\0")) refuse(`The message for ${name} holds a NUL character, which no argument can.`);
  if (!message.startsWith("-") || isBehindDashes) return;
  refuse(
    `The message begins with a dash, and ${name} would take it for an option: end "agents.${name}.command" in the settings ` +
      `with "--" if it knows that, or set "message" to "stdin" there.`,
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
      const field = `No JSON line of it has "${resultPath.join(".")}"`;
      return { ok: false, error: `${error} ${field}: is "agents.${name}.result_field" in the settings right?` };
    },
    partial: () => answer.text(),
  };
}

function asText(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}
