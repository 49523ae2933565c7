import { completeTraits } from "../core/define-tool.ts";
import { checkStructure, type JsonSchema } from "../core/json.ts";
import type { InputProblem, Resource, Tool, ToolContext, ToolResult } from "../core/tool.ts";
import type { HostCall, HostOutcome, ToolFile, ToolHosts, ToolSpec } from "./host/tool-host.ts";

/** A content that can be called. */
export interface ToolVersion {
  /** The name of the file, without its folder. */
  readonly fileName: string;
  readonly file: ToolFile;
  readonly spec: ToolSpec;
  readonly tool: Tool;
}

export interface CustomToolParts {
  /** Started when the first tool needs one. */
  readonly hosts: () => Promise<ToolHosts>;
  /** Looks at the file again, and says which version calls take instead of this one; undefined when they take this one. */
  readonly currentOf: (version: ToolVersion) => Promise<ToolVersion | undefined>;
  /** What to tell whoever sent an input that does not fit. */
  readonly explainInput: (tool: Tool, input: unknown, problems: readonly InputProblem[]) => ToolResult;
  /** A call of this content ended. */
  readonly onCallEnded: (file: ToolFile) => void;
}

/** A tool file as the engine knows tools. It keeps the content that it was made for, whatever becomes of the file. */
export function createToolVersion(
  fileName: string,
  { file, spec }: Pick<ToolVersion, "file" | "spec">,
  parts: CustomToolParts,
): ToolVersion {
  const { resources } = spec;
  const tool: Tool = {
    name: spec.name,
    description: spec.description,
    inputSchema: spec.inputSchema,
    traits: completeTraits({ category: "custom", ...spec.traits }),
    version: versionName(spec.name, file.hash),
    ...(spec.timeoutMs === undefined ? {} : { timeoutMs: spec.timeoutMs }),
    ...(spec.idleMs === undefined ? {} : { idleMs: spec.idleMs }),
    // A host is asked first, then ended with all that it started.
    stopMs: 15_000,
    isHeld: true,
    ...qualityOf(spec),
    check: (input) => checkStructure(spec.inputSchema, input),
    ...(resources === undefined ? {} : { resources: (input: unknown) => fillResources(resources, input) }),
    run: (input, context) => runVersion(version, { input, context }, parts),
  };
  const version: ToolVersion = { fileName, file, spec, tool };
  return version;
}

function qualityOf({ outputSchema, judge }: ToolSpec): Pick<Tool, "quality"> {
  if (outputSchema === undefined && judge === undefined) return {};
  return {
    quality: {
      ...(judge !== undefined && { judge }),
      ...(outputSchema && { checkOutput: (output: string) => findOutputProblem(outputSchema, output) }),
    },
  };
}

function findOutputProblem(schema: JsonSchema, output: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch {
    return "The output is not JSON.";
  }
  const checked = checkStructure(schema, value);
  return checked.ok ? null : `The output does not fit output_schema: ${checked.problems[0]?.message}.`;
}

export function versionName(toolName: string, hash: string): string {
  return `${toolName}@${hash.slice(0, 12)}`;
}

interface Order {
  readonly input: unknown;
  readonly context: ToolContext;
}

/** Once more on the version of the moment, if this one failed where a repetition can do no harm. */
async function runVersion(version: ToolVersion, order: Order, parts: CustomToolParts): Promise<ToolResult> {
  const { context } = order;
  const first = await callHost(version, order, parts);
  const again = await repeat(version, order, { first, parts });
  if (!first.entered && !again?.entered) context.notEntered?.();
  return (again ?? first).result;
}

async function repeat(
  version: ToolVersion,
  order: Order,
  { first, parts }: { readonly first: HostOutcome; readonly parts: CustomToolParts },
): Promise<HostOutcome | undefined> {
  const { signal, ranAs } = order.context;
  const mayRepeat = !first.entered || version.tool.traits.replay === "safe";
  if (first.result.ok || !mayRepeat || signal.aborted) return undefined;
  const current = await parts.currentOf(version);
  if (!current || !isFit(version, current) || signal.aborted) return undefined;
  ranAs?.(current.tool.version);
  return callHost(current, order, parts);
}

/** The call was allowed for what the tool said it does: another version must not do more. */
function isFit(asked: ToolVersion, current: ToolVersion): boolean {
  if (current.file.hash === asked.file.hash) return false;
  const promises = ({ tool, spec }: ToolVersion): string => JSON.stringify([tool.traits, spec.resources ?? null]);
  return promises(asked) === promises(current);
}

async function callHost(
  { file, tool }: ToolVersion,
  { input, context }: Order,
  parts: CustomToolParts,
): Promise<HostOutcome> {
  const call: HostCall = {
    executionId: context.executionId,
    conversationId: context.conversationId ?? null,
    idempotencyKey: context.idempotencyKey ?? null,
    workdir: context.workdir,
    env: context.env,
    signal: context.signal,
    progress: (update) => context.progress(update),
    ask: (question) => context.ask(question),
    stopped: (report) => context.stopped(report),
    sandboxed: (report) => context.sandboxed(report),
    began: () => context.began?.(),
  };
  try {
    const hosts = await parts.hosts();
    const outcome = await hosts.call(file, input, call);
    if (!outcome.problems) return tellFile(outcome, file);
    return { ...outcome, result: parts.explainInput(tool, input, outcome.problems) };
  } finally {
    parts.onCallEnded(file);
  }
}

/** Whoever reads that a tool returned nonsense wants to know where that is written. */
function tellFile(outcome: HostOutcome, { shown }: ToolFile): HostOutcome {
  const { result } = outcome;
  if (result.ok || result.errorType !== "invalid_result" || result.hint !== undefined) return outcome;
  return { ...outcome, result: { ...result, hint: `Correct what run() returns in ${shown}.` } };
}

/** What a call with this input touches, where the file said so: `{file_path}` stands for a field of the input. */
function fillResources(declared: readonly Resource[], input: unknown): readonly Resource[] {
  return declared.map((resource) => {
    if (resource.kind === "everything") return resource;
    const text = fill(resource.kind === "path" ? resource.path : resource.name, input);
    // A field that is missing or no text may lead anywhere.
    if (text === null) return { kind: "everything", access: resource.access };
    return resource.kind === "path" ? { ...resource, path: text } : { ...resource, name: text };
  });
}

const field = /\{(\w+)\}/g;

function fill(template: string, input: unknown): string | null {
  const values = input as Readonly<Record<string, unknown>>;
  let isWhole = true;
  const filled = template.replaceAll(field, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (typeof value === "string" || typeof value === "number") return String(value);
    isWhole = false;
    return "";
  });
  return isWhole ? filled : null;
}
