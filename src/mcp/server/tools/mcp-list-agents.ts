import { z } from "zod";
import { answerOfAgents } from "../../../core/task-answers.ts";
import { defineTaskTool, looksOnly, type TaskTool, type TaskToolParts } from "../mcp-task-tool.ts";

export function createListAgentsTool({ desk }: TaskToolParts): TaskTool {
  return defineTaskTool({
    name: "list_agents",
    title: "List the agents",
    description: "List the agents that use_agent can start, and which of them are installed here.",
    input: z.object({}),
    output: {
      type: "object",
      properties: {
        agents: {
          type: "array",
          items: {
            type: "object",
            properties: {
              name: { type: "string", description: "The cli_name for use_agent" },
              title: { type: "string" },
              installed: { type: "boolean" },
              install: { type: "string", description: "How to get it" },
              can_resume: { type: "boolean", description: "Whether use_agent can go on with one of its sessions" },
              limit: { type: "integer", description: "How many of its tasks run at once; more wait for their turn" },
            },
            required: ["name", "title", "installed", "install", "can_resume", "limit"],
            additionalProperties: false,
          },
        },
      },
      required: ["agents"],
      additionalProperties: false,
    },
    annotations: looksOnly,
    answer: async () => answerOfAgents(await (await desk()).agents()),
  });
}
