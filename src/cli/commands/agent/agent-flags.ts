import type { AgentRequest } from "../../../runtime/open-agent.ts";
import { permissionModes, type PermissionMode } from "../../../core/permission.ts";
import type { RuntimeConfig } from "../../../runtime/create-runtime.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { readAddedPrompt } from "./read-added-prompt.ts";

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
