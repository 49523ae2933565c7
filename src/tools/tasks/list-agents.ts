import { z } from "zod";
import { answerOfAgents } from "../../core/task-answers.ts";
import type { Tool } from "../../core/tool.ts";
import { defineTaskTool, looksOnly, type TaskToolParts } from "./task-tool.ts";

export function createListAgentsTool({ desk }: TaskToolParts): Tool {
  return defineTaskTool({
    ...looksOnly,
    name: "list_agents",
    description: "Agents for use_agent.",
    input: z.object({}),
    answer: async () => answerOfAgents(await (await desk()).agents()),
  });
}
