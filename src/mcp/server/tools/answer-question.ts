import { z } from "zod";
import { whyNotHere, type InboxToolParts } from "../inbox-desk.ts";
import { defineTaskTool, type TaskTool } from "../mcp-task-tool.ts";

/** Whom the record names: a program that a person uses, never the person. */
const who = "mcp";

export function createAnswerQuestionTool({ inbox }: InboxToolParts): TaskTool {
  return defineTaskTool({
    name: "answer_question",
    title: "Answer a question that waits",
    description:
      "Pass on a person's answer to a question of list_inbox; the call that asked goes on with it. Ask the person you work for first, and never make an answer up. Approvals are not given by this.",
    input: z.object({
      id: z.string().describe("The id that list_inbox gave"),
      text: z.string().describe("The answer in words, or one of the options exactly").optional(),
      options: z.array(z.int()).describe("The numbers of the options chosen, from 1 on").optional(),
    }),
    output: {
      type: "object",
      properties: {
        id: { type: "string" },
        state: { type: "string", enum: ["answered"] },
        answer: { type: "string", description: "As it was understood" },
      },
      required: ["id", "state", "answer"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    async answer({ id, text, options }) {
      const desk = await inbox();
      const asked = await desk.get(id);
      const refusal = asked && whyNotHere(asked);
      if (refusal !== undefined) throw new Error(refusal);
      const given = { ...(text === undefined ? {} : { text }), ...(options === undefined ? {} : { options }) };
      const settled = await desk.answer(id, { isVerbatim: true, ...given }, who);
      if (!settled.ok) throw new Error(settled.problem);
      const { answer } = settled.entry.settlement ?? {};
      return { id, state: "answered", answer: answer?.answered ? answer.text : "" };
    },
  });
}
