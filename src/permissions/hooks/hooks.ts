import type { PermitRequest } from "../../core/approval.ts";
import type { AfterRun } from "../../core/call-observer.ts";
import { runHook, type HookParts, type HookProgram } from "./run-hook.ts";

export type HookOutcome =
  | {
      readonly decision: "continue";
      /** The input it made of it; not yet checked. */
      readonly input?: unknown;
      /** What it has to say to whoever asked for the call. */
      readonly note?: string;
    }
  | { readonly decision: "deny"; readonly hook: string; readonly reason: string };

/** What runs before a call may run. */
export interface BeforeHooks {
  matches(toolId: string): boolean;
  /** Never rejects: a hook that breaks or takes too long says no. */
  run(request: PermitRequest): Promise<HookOutcome>;
}

export interface Hook extends HookProgram {
  /** Canonical names; `*` at the end stands for any rest. */
  readonly tools: readonly string[];
}

/** In the order of the configuration; each sees the input that the one before made. The first no ends it. */
export function createBeforeHooks(hooks: readonly Hook[], parts: HookParts): BeforeHooks {
  return {
    matches: (toolId) => hooks.some((hook) => isFor(hook, toolId)),
    async run(request) {
      const { tool, execution, workdir, signal } = request;
      const notes: string[] = [];
      let { input } = request;
      for (const hook of hooks.filter((each) => isFor(each, tool.name))) {
        const told = { event: "before", ...callFacts(execution, tool.name), tool_input: input, workdir };
        const end = await runHook(parts, hook, { told, signal, executionId: execution.id });
        if (!end.ok) return { decision: "deny", hook: hook.name, reason: end.problem };
        if (end.said.deny !== undefined) return { decision: "deny", hook: hook.name, reason: end.said.deny };
        if (end.said.input !== undefined) input = end.said.input;
        if (end.said.context !== undefined) notes.push(end.said.context);
      }
      return {
        decision: "continue",
        ...(input === request.input ? {} : { input }),
        ...(notes.length === 0 ? {} : { note: notes.join("\n") }),
      };
    },
  };
}

/** They can add to what is told. One that breaks is told of, too: whoever set it up should know. */
export function createAfterHooks(hooks: readonly Hook[], parts: HookParts): AfterRun {
  return {
    matches: (toolId) => hooks.some((hook) => isFor(hook, toolId)),
    async run({ tool, input, execution, result, workdir }) {
      const notes: string[] = [];
      for (const hook of hooks.filter((each) => isFor(each, tool.name))) {
        const told = { event: "after", ...callFacts(execution, tool.name), tool_input: input, workdir, result };
        const { signal } = new AbortController();
        const end = await runHook(parts, hook, { told, signal, executionId: execution.id });
        if (!end.ok) notes.push(`The hook ${hook.name} failed: ${end.problem}`);
        else if (end.said.deny !== undefined) notes.push(`The hook ${hook.name} objects: ${end.said.deny}`);
        else if (end.said.context !== undefined) notes.push(end.said.context);
      }
      return notes.length === 0 ? undefined : notes.join("\n");
    },
  };
}

function isFor({ tools }: Hook, toolId: string): boolean {
  return tools.some((name) => (name.endsWith("*") ? toolId.startsWith(name.slice(0, -1)) : name === toolId));
}

function callFacts(execution: PermitRequest["execution"], toolId: string): Record<string, unknown> {
  const { id, conversationId, turn, door } = execution;
  return { tool_name: toolId, execution_id: id, conversation_id: conversationId, turn, door };
}
