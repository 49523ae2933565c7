import type { Tool } from "../../../core/tool.ts";
import { describeState, type Origin } from "../../../runtime/views/tool-origin.ts";
import type { Runtime } from "../../../runtime/create-runtime.ts";
import { formatDuration } from "../../../core/format-time.ts";

/** What it may do, in a word or two. */
export function describeEffect({ traits }: Tool): string {
  return traits.readOnly ? "read-only" : `changes things, ${traits.risk} risk`;
}

/** The first sentence of its description. */
export function summarizeTool({ description }: Tool): string {
  const line = description.trim().split("\n", 1)[0] ?? "";
  return /^.*?[.!?](?=\s)/.exec(line)?.[0] ?? line;
}

export interface ToolFacts {
  readonly aliases: readonly string[];
  /** As the settings have them. */
  readonly limits: ReturnType<Runtime["timeLimits"]>;
  readonly origin: Origin | undefined;
}

/** All there is to know about one tool, for a person. */
export function describeTool(tool: Tool, { aliases, limits, origin }: ToolFacts): string {
  const { traits } = tool;
  const facts: (readonly [string, string])[] = [
    ["may do", `${describeEffect(tool)}${traits.idempotent && !traits.readOnly ? ", the same when repeated" : ""}`],
    ["also called", aliases.join(", ") || "nothing else"],
    ["category", traits.category],
    ["offered in", traits.offeredIn.join(", ")],
    ["time limit", formatDuration(limits.timeoutMs)],
    ...(limits.idleMs === null ? [] : [["idle limit", formatDuration(limits.idleMs)] as const]),
    ["after a crash", replays[traits.replay]],
    ["version", tool.version],
    ...(origin?.kind === "file" ? [["file", origin.status.file] as const] : []),
    ...(origin?.kind === "server"
      ? [["server", `${origin.status.name}, ${describeState(origin.status)}`] as const]
      : []),
  ];
  const parameters = describeParameters(tool);
  return [
    tool.name,
    "",
    tool.description.trim(),
    "",
    ...facts.map(([label, fact]) => `  ${label.padEnd(13)}  ${fact}`),
    "",
    parameters.length === 0 ? "It takes no parameters." : "Parameters:",
    ...parameters.map((line) => `  ${line}`),
    "",
  ].join("\n");
}

const replays = {
  safe: "may be run again",
  check: "what it did is looked at before it is run again",
  never: "is never run again by itself",
};

function describeParameters({ inputSchema }: Tool): string[] {
  const { properties, required } = inputSchema;
  if (typeof properties !== "object" || properties === null) return [];
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  const rows = Object.entries(properties as Record<string, Schema>).map(([name, schema]) => {
    const notes = [typeOf(schema), needed.has(name) ? "required" : "optional", ...defaultOf(schema)];
    return { left: `${name} (${notes.join(", ")})`, description: schema["description"] };
  });
  return rows.map(({ left, description }) => (typeof description === "string" ? `${left}: ${description}` : left));
}

type Schema = Readonly<Record<string, unknown>>;

function typeOf(schema: Schema): string {
  const { type, enum: choices, items, anyOf } = schema;
  if (Array.isArray(choices)) return choices.map((choice) => JSON.stringify(choice)).join(" | ");
  if (Array.isArray(anyOf)) return anyOf.map((each: Schema) => typeOf(each)).join(" | ");
  if (type === "array" && typeof items === "object" && items !== null) return `list of ${typeOf(items as Schema)}`;
  return typeof type === "string" ? type : "any";
}

function defaultOf({ default: standard }: Schema): string[] {
  return standard === undefined ? [] : [`default ${JSON.stringify(standard)}`];
}
