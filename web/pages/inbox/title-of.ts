import type { InboxEntry } from "../../api/types.ts";
import { showLine } from "../../format/show-controls.ts";

/** What is asked, in one line. */
export function titleOf({ question, approval }: InboxEntry): string {
  if (question) return showLine(question.text);
  if (!approval) return "Something that this version does not know";
  return showLine([approval.title, approval.detail].filter(Boolean).join(": "));
}
