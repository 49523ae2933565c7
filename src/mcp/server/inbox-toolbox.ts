import type { InboxToolParts } from "./inbox-desk.ts";
import { offerTool } from "./offer-tool.ts";
import type { Toolbox } from "./offered-tool.ts";
import { createAnswerQuestionTool } from "./tools/answer-question.ts";
import { createListInboxTool } from "./tools/list-inbox.ts";

/** The door's own tools, and beside them those around questions that wait. Approvals are shown, and never given here. */
export function offerInbox(own: Toolbox, parts: InboxToolParts): Toolbox {
  const offered = [createListInboxTool(parts), createAnswerQuestionTool(parts)].map((tool) => offerTool(tool));
  return {
    list: async () => [...(await own.list()), ...offered],
    find: async (name) => (await own.find(name)) ?? offered.find(({ definition }) => definition.name === name),
  };
}
