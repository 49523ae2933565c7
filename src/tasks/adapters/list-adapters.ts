import { RuntimeError } from "../../core/errors.ts";
import { createAcpAdapter } from "./acp-agent.ts";
import type { AgentAdapter, AgentSettings } from "./agent-adapter.ts";
import { claudeAdapter } from "./claude-agent.ts";
import { codexAdapter } from "./codex-agent.ts";
import { createCommandAdapter, type CommandSettings } from "./command-agent.ts";
import { deckhandAdapter } from "./deckhand-agent.ts";
import { geminiAdapter } from "./gemini-agent.ts";
import { opencodeAdapter } from "./opencode-agent.ts";
import { piAdapter } from "./pi-agent.ts";
import { qwenAdapter } from "./qwen-agent.ts";

export interface AdapterOptions {
  /** How this very program is started again: Node and the file behind the command, or whatever else it came from. */
  readonly own: readonly [string, ...string[]];
  /** `agents` of the settings, by name. */
  readonly agents?: Readonly<Record<string, AgentSettings>>;
}

/** Every agent there is, by its name: the known ones as the settings change them, and the settings' own. */
export function listAdapters({ own, agents = {} }: AdapterOptions): ReadonlyMap<string, AgentAdapter> {
  const adapters = new Map(known.map((adapter) => [adapter.name, adapter]));
  const changes = { ...agents, deckhand: { command: own, ...agents["deckhand"] } };
  for (const [name, settings] of Object.entries<AgentSettings>(changes)) {
    adapters.set(name, createOne(name, settings, adapters.get(name)));
  }
  return adapters;
}

const known: readonly AgentAdapter[] = [
  claudeAdapter,
  codexAdapter,
  geminiAdapter,
  opencodeAdapter,
  qwenAdapter,
  piAdapter,
  deckhandAdapter,
];

function createOne(name: string, settings: AgentSettings, base: AgentAdapter | undefined): AgentAdapter {
  if (base && settings.output === undefined) return changeAdapter(base, settings);
  if (!hasCommand(settings)) {
    throw new RuntimeError(
      "CONFIG_INVALID",
      `"agents.${name}" has no "command": set the command that starts this agent.`,
    );
  }
  return settings.output === "acp" ? createAcpAdapter(name, settings) : createCommandAdapter(name, settings);
}

/** The same agent, started as the person wants it: what they write themselves is not checked. */
function changeAdapter(base: AgentAdapter, { command, env, passes, install }: AgentSettings): AgentAdapter {
  const [program, ...first] = command ?? [base.program];
  return {
    ...base,
    program,
    install: install ?? base.install,
    plan(order, place) {
      const plan = base.plan(order, place);
      return {
        ...plan,
        args: [...first, ...plan.args],
        env: { ...plan.env, ...env },
        passes: [...plan.passes, ...(passes ?? [])],
      };
    },
  };
}

function hasCommand(settings: AgentSettings): settings is CommandSettings {
  return settings.command !== undefined;
}
