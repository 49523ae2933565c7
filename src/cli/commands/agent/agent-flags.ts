import { closeSync, openSync, readSync } from "node:fs";
import { userName } from "../../../config/user-name.ts";
import { messageOf } from "../../../core/errors.ts";
import { permissionModes, type PermissionMode } from "../../../core/permission.ts";
import type { RuntimeConfig } from "../../../runtime/create-runtime.ts";
import type { AgentRequest } from "../../../runtime/open-agent.ts";
import { type Invocation, RefusedError, UsageError } from "../../parser/command.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { approveOnTerminal } from "./approve-on-terminal.ts";

/** What the options of the agent's commands say, checked. */
export function readAgentSettings(invocation: Invocation): {
  readonly settings: NonNullable<RuntimeConfig["settings"]>;
  readonly agent: NonNullable<AgentRequest["settings"]>;
} {
  const mode = invocation.value("mode");
  if (mode !== undefined && !permissionModes.includes(mode as PermissionMode)) {
    throw new UsageError(`--mode is one of ${permissionModes.join(", ")}; got "${mode}".`);
  }
  const maxTurns = readPositive(invocation, "max-turns", Number.isInteger);
  const maxCost = readPositive(invocation, "max-cost", Number.isFinite);
  const addedPrompt = readAddedPrompt(invocation);
  return {
    settings: mode === undefined ? {} : { permissions: { mode: mode as PermissionMode } },
    agent: {
      ...(maxTurns === undefined ? {} : { maxTurns }),
      ...(maxCost === undefined ? {} : { maxCost }),
      ...(invocation.has("force-tool") ? { forceFirstTool: true } : {}),
      ...(addedPrompt === undefined ? {} : { addedPrompt }),
    },
  };
}

function readPositive(invocation: Invocation, option: string, fits: (value: number) => boolean): number | undefined {
  const given = invocation.value(option);
  if (given === undefined) return undefined;
  const value = Number(given);
  if (given.trim() !== "" && value > 0 && fits(value)) return value;
  const what = fits === Number.isInteger ? "a whole number from 1 on" : "a number greater than 0";
  throw new UsageError(`--${option} takes ${what}; got "${given}".`);
}

/** More than any model takes; a device without an end must not fill the memory. */
const maxBytes = 1024 * 1024;

/** What the person adds to the system prompt: a text, or a file with it. Undefined: nothing. */
function readAddedPrompt(invocation: Invocation): string | undefined {
  const text = invocation.value("append-system-prompt");
  const file = invocation.value("append-system-prompt-file");
  if (text !== undefined && file !== undefined) {
    throw new UsageError("--append-system-prompt and --append-system-prompt-file say the same: leave one of them out.");
  }
  const added = file === undefined ? text : readText(file);
  return added?.trim() === "" ? undefined : added;
}

function readText(path: string): string {
  const buffer = Buffer.alloc(maxBytes + 1);
  let bytes = 0;
  try {
    const file = openSync(path, "r");
    try {
      for (let read = -1; read !== 0 && bytes < buffer.length; bytes += read)
        read = readSync(file, buffer, { offset: bytes });
    } finally {
      closeSync(file);
    }
  } catch (thrown) {
    throw new UsageError(`--append-system-prompt-file ${path} can't be read: ${messageOf(thrown)}.`, { cause: thrown });
  }
  if (bytes > maxBytes) throw new UsageError(`--append-system-prompt-file ${path} has more than 1 MB; shorten it.`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(buffer.subarray(0, bytes));
  } catch (thrown) {
    throw new UsageError(`--append-system-prompt-file ${path} is not UTF-8 text.`, { cause: thrown });
  }
}

/** What a tool call runs has this variable: an agent must not say yes to itself. */
export function isInsideCall({ env }: Pick<Terminal, "env">): boolean {
  return env["DECKHAND_EXECUTION"] !== undefined;
}

export function refuseInsideCall(terminal: Pick<Terminal, "env">): void {
  if (!isInsideCall(terminal)) return;
  throw new RefusedError(
    "Not allowed from inside a tool call: this decision is yours. Run the command in your own terminal.",
  );
}

/** How this command reaches the person: on the terminal, by what they said in advance, or through the inbox. */
export function personConfig(invocation: Invocation, terminal: Terminal): RuntimeConfig {
  const confirmed = invocation.values("yes-danger");
  if (confirmed.length > 0) refuseInsideCall(terminal);
  if (invocation.has("inbox")) return { confirmed, settings: { permissions: { unattended: "inbox" } } };
  const approve = approveOnTerminal(terminal, userName());
  return approve ? { confirmed, approve } : { confirmed };
}
