import type { Tool as ToolDefinition } from "@modelcontextprotocol/server";
import type { Clock } from "../../core/clock.ts";
import type { Execution } from "../../core/call.ts";
import { createId } from "../../core/ids.ts";
import type { Tool, ToolTraits } from "../../core/tool.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { OfferedTool, Toolbox } from "./offered-tool.ts";

export type ExposedRuntime = Pick<Runtime, "call" | "on" | "prepareTools" | "tools">;

/** The door's own tools, and beside them those of the catalog: same names, same schemas, same permission rules. */
export function exposeCatalog(own: Toolbox, open: () => Promise<ExposedRuntime>, clock: Clock): Toolbox {
  async function exposed(): Promise<OfferedTool[]> {
    const runtime = await open();
    await runtime.prepareTools();
    const taken = new Set((await own.list()).map(({ definition }) => definition.name.toLowerCase()));
    const free = runtime.tools.list("mcp").filter(({ name }) => !taken.has(name.toLowerCase()));
    return free.map((tool) => expose(tool, runtime, clock));
  }

  return {
    list: async () => [...(await own.list()), ...(await exposed())],
    find: async (name) =>
      (await own.find(name)) ?? (await exposed()).find(({ definition }) => definition.name === name),
  };
}

function expose(tool: Tool, runtime: ExposedRuntime, clock: Clock): OfferedTool {
  return {
    definition: {
      name: tool.name,
      description: tool.description,
      // Without it a client would refuse the whole list.
      inputSchema: { ...tool.inputSchema, type: "object" },
      annotations: annotationsOf(tool.traits),
    },
    startsTask: false,
    async call(input, { signal, progress }) {
      // What the client does between two calls is not seen here, so no call is the repetition of another.
      const conversationId = createId("run", clock.now());
      const running = runtime.call(tool.name, input, { door: "mcp", signal, conversationId });
      const unsubscribe = runtime.on("execution:progressed", (event) => {
        if (event.id === running.id) progress(event.progress);
      });
      try {
        const execution = await running;
        return {
          content: [{ type: "text", text: describeExecution(execution) }],
          isError: execution.state !== "completed",
        };
      } finally {
        unsubscribe();
      }
    },
  };
}

function annotationsOf({ readOnly, idempotent, risk, category }: ToolTraits): ToolDefinition["annotations"] {
  return {
    readOnlyHint: readOnly,
    destructiveHint: !readOnly && risk !== "low",
    idempotentHint: idempotent,
    openWorldHint: category === "web" || (!readOnly && risk === "high"),
  };
}

function describeExecution({ state, result, error, note }: Execution): string {
  const output = result?.output ?? "";
  const notes = note === null ? [] : [note];
  if (state === "completed") return [output === "" ? "(no output)" : output, ...notes].join("\n");
  const hint = result && !result.ok ? result.hint : undefined;
  return [
    `Error: ${error ?? "The call did not complete, and nothing says why."}`,
    ...(hint === undefined ? [] : [`Hint: ${hint}`]),
    ...(output === "" ? [] : ["Output:", output]),
    ...notes,
  ].join("\n");
}
