import { z } from "zod";
import type { InboxEntry } from "../../../core/approval-inbox-port.ts";
import { timeToWire } from "../../../core/wire.ts";
import { whyNotHere, type InboxToolParts } from "../inbox-desk.ts";
import { defineTaskTool, looksOnly, type TaskTool } from "../mcp-task-tool.ts";
import { pageLimit, usualLimit } from "./schemas.ts";

export function createListInboxTool({ inbox }: InboxToolParts): TaskTool {
  return defineTaskTool({
    name: "list_inbox",
    title: "List what waits for a person",
    description:
      "List questions and approvals that wait for a person, newest first. Show them to the person you work for; answer_question passes on what they say to a question. Approvals are given elsewhere, by a person.",
    input: z.object({
      limit: pageLimit,
      before: z.string().startsWith("ask_", "expected an id").describe("Only entries older than this id").optional(),
    }),
    output: {
      type: "object",
      properties: { entries: { type: "array", items: itemSchema } },
      required: ["entries"],
      additionalProperties: false,
    },
    annotations: looksOnly,
    async answer({ limit = usualLimit, before }) {
      const query = { states: ["waiting"], limit, ...(before === undefined ? {} : { beforeId: before }) } as const;
      const entries = await (await inbox()).list(query);
      // Some of them may just have been found abandoned.
      return { entries: entries.filter(({ state }) => state === "waiting").map(rowOf) };
    },
  });
}

function rowOf(entry: InboxEntry): object {
  const { id, kind, createdAt, origin, question, approval } = entry;
  const refusal = whyNotHere(entry);
  return {
    id,
    kind,
    created_at: timeToWire(createdAt),
    ...(origin?.toolName ? { tool: origin.toolName } : {}),
    ...(origin?.jobName ? { job: origin.jobName } : {}),
    ...(question && {
      question: question.text,
      ...(question.options?.length
        ? { options: question.options, multiple: question.multiple ?? false, other: question.other ?? false }
        : {}),
    }),
    ...(approval && {
      title: approval.title,
      ...(approval.detail === null ? {} : { detail: approval.detail }),
      reasons: approval.reasons,
      is_danger: approval.isDanger,
    }),
    can_answer: refusal === undefined,
    ...(refusal === undefined ? {} : { note: refusal }),
  };
}

const itemSchema = {
  type: "object",
  properties: {
    id: { type: "string" },
    kind: { type: "string", enum: ["question", "approval"] },
    created_at: { type: "string" },
    tool: { type: "string", description: "The tool whose call asks" },
    job: { type: "string", description: "The job whose run it is" },
    question: { type: "string" },
    options: { type: "array", items: { type: "string" }, description: "To choose from" },
    multiple: { type: "boolean", description: "Several may be chosen" },
    other: { type: "boolean", description: "Beside the options, free text is welcome" },
    title: { type: "string", description: "approval: what would be done" },
    detail: { type: "string", description: "approval: the whole command or text" },
    reasons: { type: "array", items: { type: "string" }, description: "approval: why it is asked" },
    is_danger: { type: "boolean" },
    can_answer: { type: "boolean", description: "answer_question takes it" },
    note: { type: "string", description: "Who settles it instead" },
  },
  required: ["id", "kind", "created_at", "can_answer"],
  additionalProperties: false,
} as const;
