import { clipText } from "../../core/cut-text.ts";
import { messageOf } from "../../core/errors.ts";
import { withoutAttached } from "../../core/fence.ts";
import { callsOf, textOfParts } from "../../core/message.ts";
import type { SessionSummary } from "../../core/session.ts";
import type { FoundSession } from "./find-session.ts";
import type { SessionContent } from "./read-session.ts";
import { readSessionFile } from "./session-file.ts";

/** A file that can't be read is a line in the list as well, so that nobody looks for it in vain. */
export function summarizeSession({ id, path, modifiedAt }: FoundSession, isOpen: boolean): SessionSummary {
  const nothing = {
    id,
    path,
    createdAt: modifiedAt,
    updatedAt: modifiedAt,
    model: "",
    title: "",
    prompts: 0,
    calls: 0,
    isEnded: false,
  };
  try {
    const content = readSessionFile(path);
    return { ...nothing, ...describeBranch(content), isOpen, problem: problemOf(content, isOpen) };
  } catch (thrown) {
    return { ...nothing, isOpen, problem: messageOf(thrown) };
  }
}

const longestTitle = 80;

function describeBranch({ branch }: SessionContent): Partial<SessionSummary> {
  const [first] = branch;
  const last = branch.at(-1);
  if (!first || !last) return {};
  const prompts = branch.filter((entry) => entry.type === "user");
  const title = prompts[0]
    ? withoutAttached(textOfParts(prompts[0].parts)).replaceAll(/\s+/g, " ").trim() || "[image]"
    : "";
  const model = branch.findLast((entry) => "model" in entry)?.model;
  return {
    createdAt: first.at,
    updatedAt: last.at,
    ...(model !== undefined && { model }),
    title: clipText(title, longestTitle),
    isEnded: last.type === "ended",
    prompts: prompts.length,
    calls: branch.reduce((sum, entry) => sum + (entry.type === "assistant" ? callsOf(entry.parts).length : 0), 0),
  };
}

function problemOf(content: SessionContent, isOpen: boolean): string | null {
  const { entries, problems, tail } = content;
  if (entries.length === 0) return whyNothing(content);
  // While somebody writes it, a line may be seen half.
  const torn = tail.kind === "torn" && !isOpen ? ["Its last line was cut short."] : [];
  const [first, ...more] = [...problems, ...torn];
  if (first === undefined) return null;
  return more.length === 0 ? first : `${first} (and ${more.length} more like this)`;
}

/** Of a file that has no entry that can be used. */
export function whyNothing({ isNewer }: Pick<SessionContent, "isNewer">): string {
  return isNewer ? "It was written by a newer Deckhand: update Deckhand to read it." : "No entry in it can be read.";
}
