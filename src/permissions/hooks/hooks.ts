import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { PermitRequest } from "../../core/approval.ts";
import type { AfterRun } from "../../core/call-observer.ts";
import type { CanonicalName } from "../rules/permission-rule.ts";
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

interface Hook extends HookProgram {
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

/** A hook as the configuration has it. */
export interface HookSetting {
  readonly tools?: readonly string[] | undefined;
  readonly command?: readonly [string, ...string[]] | undefined;
  readonly module?: string | undefined;
  readonly timeout_ms?: number | undefined;
}

const defaultTimeoutMs = 10_000;

/** A module is run by a process of its own as well: one that loops for ever can be stopped then. */
export function toHook(
  setting: HookSetting,
  event: "before" | "after",
  place: { readonly workdir: string; readonly canonicalName: CanonicalName },
): Hook {
  const { tools = ["*"], command, module = "", timeout_ms: timeoutMs = defaultTimeoutMs } = setting;
  return {
    name: command ? command.join(" ") : module,
    argv: command ?? [process.execPath, "--input-type=module", "-e", host, moduleUrl(module, place.workdir), event],
    timeoutMs,
    tools: tools.map((name) => (name.endsWith("*") ? name : (place.canonicalName(name) ?? name))),
  };
}

function moduleUrl(module: string, workdir: string): string {
  return pathToFileURL(resolve(workdir, module)).href;
}

// What the module itself prints must not pass for its answer.
const host = `
const [url, event] = process.argv.slice(1);
const write = process.stdout.write.bind(process.stdout);
console.log = console.info = console.debug = console.error;
let text = "";
for await (const piece of process.stdin.setEncoding("utf8")) text += piece;
const module = await import(url);
if (typeof module[event] !== "function") {
  console.error("expected the module to export a function named " + event);
  process.exit(1);
}
const answer = await module[event](JSON.parse(text));
write(answer === undefined || answer === null ? "" : JSON.stringify(answer), () => process.exit(0));
`;
