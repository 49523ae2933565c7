import { z } from "zod";
import type { InboxEntry } from "../../core/approval.ts";
import { timeToWire } from "../../core/wire.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { defineTaskTool, looksOnly, pageLimit, type TaskTool, usualLimit } from "./mcp-task-tool.ts";
import { offerTool } from "./offer-tool.ts";
import type { Toolbox } from "./offered-tool.ts";

/** The door's own tools, and beside them those around questions that wait. Approvals are shown, and never given here. */
export function offerInbox(own: Toolbox, parts: InboxToolParts): Toolbox {
  const offered = [createListInboxTool(parts), createAnswerQuestionTool(parts)].map((tool) => offerTool(tool));
  return {
    list: async () => [...(await own.list()), ...offered],
    find: async (name) => (await own.find(name)) ?? offered.find(({ definition }) => definition.name === name),
  };
}

/** Whom the record names: a program that a person uses, never the person. */
const who = "mcp";

function createAnswerQuestionTool({ inbox }: InboxToolParts): TaskTool {
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

function createListInboxTool({ inbox }: InboxToolParts): TaskTool {
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

/** All that this room needs of the inbox: it can't decide on an approval. */
type InboxDesk = Pick<Runtime["inbox"], "list" | "get" | "answer">;

interface InboxToolParts {
  /** Opened when a call first needs it. */
  readonly inbox: () => Promise<InboxDesk>;
}

/** Why a client of this door may not answer it, in one sentence; undefined where it may. */
function whyNotHere({ id, kind, origin }: Pick<InboxEntry, "id" | "kind" | "origin">): string | undefined {
  if (kind === "approval") {
    return `This is an approval, which only a person gives: in the dashboard, or by \`deckhand inbox approve ${id}\` in a terminal.`;
  }
  // Whoever asks would answer itself.
  if (origin === null || origin.door === "mcp") {
    return `This was asked by a call that came by MCP itself, so only a person answers it: in the dashboard, or by \`deckhand inbox answer ${id}\` in a terminal.`;
  }
  return undefined;
}
