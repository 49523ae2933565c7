import type { CallToolResult, JSONRPCMessage, Tool as ToolDefinition } from "@modelcontextprotocol/server";
import { nearest } from "../../core/text.ts";
import type { Tool, ToolContext, ToolResult } from "../../core/tool.ts";
import type { TaskTool } from "./mcp-task-tool.ts";
import { failedCall, type OfferedCall, type OfferedTool } from "./offered-tool.ts";

/** A tool of this door's own, as the protocol sees it. */
export function offerTool(
  taskTool: TaskTool,
  { startsTask }: { readonly startsTask: boolean } = { startsTask: false },
): OfferedTool {
  const { tool, title, outputSchema, annotations } = taskTool;
  const definition: ToolDefinition = {
    name: tool.name,
    title,
    description: tool.description,
    inputSchema: { ...tool.inputSchema, type: "object", additionalProperties: false },
    outputSchema: outputSchema,
    annotations: { title, ...annotations },
  };
  return {
    definition,
    startsTask,
    async call(given, context) {
      const checked = tool.check(given);
      const problems = checked.ok ? [] : checked.problems.map(({ message }) => message);
      // What is missing may be there, under another name.
      problems.push(...strayKeys(tool, given));
      if (!checked.ok || problems.length > 0) return failedCall(`${tool.name} was not run: ${problems.join("; ")}.`);
      return answerOf(await tool.run(checked.input, contextOf(context)));
    },
  };
}

/** A word that means nothing here was meant to mean something. */
function strayKeys(tool: Tool, given: object): string[] {
  const known = Object.keys(Object(tool.inputSchema["properties"]));
  const stray = Object.keys(given).filter((key) => !known.includes(key));
  return stray.map((key) => {
    const [meant] = nearest(key, known, 1);
    const hint = meant === undefined ? `it takes ${known.join(", ") || "none"}` : `did you mean ${meant}?`;
    return `it has no parameter ${JSON.stringify(key.slice(0, 80))} (${hint})`;
  });
}

function answerOf(result: ToolResult): CallToolResult {
  if (!result.ok) return failedCall(result.error);
  return {
    content: [{ type: "text", text: result.output }],
    structuredContent: result.data,
  };
}

/** These tools start nothing themselves and ask nobody. */
function contextOf({ signal, progress }: OfferedCall): ToolContext {
  const nothing = (): void => undefined;
  const ask: ToolContext["ask"] = () => Promise.resolve({ answered: false, reason: "nobody" });
  return { signal, progress, workdir: "/", executionId: "", env: {}, ask, stopped: nothing, sandboxed: nothing };
}

const invalidParams = -32_602;

/** What the protocol's package finds wrong with a request it tells as a list of issues in JSON; here it is one sentence. */
export function inOneSentence(message: JSONRPCMessage): JSONRPCMessage {
  if (!("error" in message)) return message;
  const issues = readIssues(message.error.message);
  if (!issues) return message;
  const wrong = issues.map(({ path, message: what }) => `${path.join(".") || "the request"}: ${what}`).join("; ");
  return { ...message, error: { code: invalidParams, message: `This request can't be understood: ${wrong}.` } };
}

interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

function readIssues(text: string): readonly Issue[] | undefined {
  const [list] = /\[\s*\{[^]*\}\s*\]$/.exec(text) ?? [];
  if (list === undefined) return undefined;
  try {
    const issues = JSON.parse(list) as readonly Partial<Issue>[];
    return issues.every(isIssue) ? issues : undefined;
  } catch {
    return undefined;
  }
}

function isIssue(issue: Partial<Issue>): issue is Issue {
  return Array.isArray(issue.path) && typeof issue.message === "string";
}
