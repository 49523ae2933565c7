import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { codeOf, messageOf } from "../core/errors.ts";
import { parseJsonc } from "../core/json.ts";
import type { McpServerSetting } from "../mcp/client/server-setting.ts";

/** The file that other programs read as well. */
export const sharedMcpFile = ".mcp.json";

const defaultStartTimeoutMs = 30_000;

function buildFields() {
  const texts = z.record(z.string(), z.string());
  const milliseconds = z.int().positive();
  return z
    .object({
      type: z.enum(["stdio", "http", "streamable-http", "sse"]),
      command: z.string().min(1).describe("A program that speaks MCP over its standard input and output."),
      args: z.array(z.string()),
      env: texts.describe(
        "Variables for it, beside those that every child process gets. `${NAME}` stands for one of the person's.",
      ),
      cwd: z.string().min(1),
      url: z.string().min(1).describe("Or where one answers over HTTP."),
      headers: texts,
      disabled: z.boolean(),
      timeout_ms: milliseconds,
      start_timeout_ms: milliseconds,
      trust_annotations: z.boolean().describe("Whether what it says of its tools (`readOnlyHint`, …) is believed."),
      tools: z.array(z.string().min(1)).describe("Only these of its tools, by their own names."),
    })
    .partial();
}

export type McpServerFields = z.output<ReturnType<typeof buildFields>>;

/** `mcpServers`, as other programs have it, and with a few keys more. */
export function buildMcpSchema() {
  const entry = buildFields().strict().superRefine(tellContradiction);
  return z.record(z.string().min(1).max(64), entry);
}

function tellContradiction({ type, command, url }: McpServerFields, context: z.RefinementCtx): void {
  const isStdio = type === undefined ? command !== undefined : type === "stdio";
  const message =
    (command === undefined) === (url === undefined)
      ? 'expected either "command", for a program, or "url", for one that answers over HTTP'
      : isStdio !== (command !== undefined)
        ? `"type" is "${type}", which does not fit to "${command === undefined ? "url" : "command"}"`
        : undefined;
  if (message !== undefined) context.addIssue({ code: "custom", message });
}

/** The entries that are switched on, complete. A later one of the same name takes the place of an earlier one. */
export function mcpServersOf(servers: Readonly<Record<string, McpServerFields>>): McpServerSetting[] {
  return Object.entries(servers).flatMap(([name, fields]) => (fields.disabled ? [] : [toSetting(name, fields)]));
}

function toSetting(name: string, fields: McpServerFields): McpServerSetting {
  const { command, args = [], env = {}, cwd = null, url = "", headers = {} } = fields;
  return {
    name,
    transport:
      command === undefined
        ? { kind: fields.type === "sse" ? "sse" : "http", url, headers }
        : { kind: "stdio", command, args, env, cwd },
    timeoutMs: fields.timeout_ms ?? null,
    startTimeoutMs: fields.start_timeout_ms ?? defaultStartTimeoutMs,
    trustsAnnotations: fields.trust_annotations ?? false,
    only: fields.tools ?? null,
  };
}

export interface SharedMcpServers {
  readonly servers: Readonly<Record<string, McpServerFields>>;
  /** What can't be used, in sentences. The file is not ours alone, so none of it is an error. */
  readonly warnings: readonly string[];
}

/** What `.mcp.json` of the workdir names. Keys of other programs are passed over. */
export function readSharedMcpServers(workdir: string): SharedMcpServers {
  const file = join(workdir, sharedMcpFile);
  let value: unknown;
  try {
    if (!statSync(file).isFile()) return { servers: {}, warnings: [] };
    value = parseJsonc(readFileSync(file, "utf8"));
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") return { servers: {}, warnings: [] };
    return { servers: {}, warnings: [`${file} can't be read, so its MCP servers are not there: ${messageOf(thrown)}`] };
  }
  const parsed = z.object({ mcpServers: z.record(z.string(), z.unknown()) }).safeParse(value);
  if (!parsed.success) {
    return { servers: {}, warnings: [`${file} is ignored: expected an object with "mcpServers".`] };
  }
  const entry = buildFields().superRefine(tellContradiction);
  const servers: Record<string, McpServerFields> = {};
  const warnings: string[] = [];
  for (const [name, given] of Object.entries(parsed.data.mcpServers)) {
    const found = entry.safeParse(given);
    const isNamed = name.length > 0 && name.length <= 64;
    if (found.success && isNamed) servers[name] = found.data;
    else warnings.push(`${file}: the server "${name.slice(0, 64)}" is left out: ${whyNot(found.error)}.`);
  }
  return { servers, warnings };
}

function whyNot(error: z.ZodError | undefined): string {
  const [issue] = error?.issues ?? [];
  if (issue === undefined) return "its name must have 1 to 64 characters";
  return issue.path.length === 0 ? issue.message : `${issue.path.join(".")}: ${issue.message}`;
}
