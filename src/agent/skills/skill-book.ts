import { callsOf, type CallPart } from "../../core/message.ts";
import type { SessionEntry } from "../../core/session.ts";
import { unwrapBridge } from "../selection/bridge-tools.ts";

/** Which skills there are, and which one a conversation uses. */
export interface SkillBook {
  readonly skills: readonly Skill[];
  find(name: string): Skill | undefined;
  inUse(conversationId: string): Skill | undefined;
  /** Replaces the one in use; undefined: none is in use any more. */
  use(conversationId: string, skill: Skill | undefined): void;
}

export function createSkillBook(skills: readonly Skill[]): SkillBook {
  const used = new Map<string, Skill>();
  return {
    skills,
    find: (name) => skills.find((skill) => skill.name.toLowerCase() === name.trim().toLowerCase()),
    inUse: (conversationId) => used.get(conversationId),
    use(conversationId, skill) {
      if (skill) used.set(conversationId, skill);
      else used.delete(conversationId);
    },
  };
}

/** A conversation that is taken up again goes on with the skill it had in use, and with its restriction. */
export function restoreSkill(book: SkillBook, conversationId: string, branch: readonly SessionEntry[]): void {
  const calls = new Map<string, CallPart>();
  for (const entry of branch) {
    if (entry.type === "assistant") {
      for (const call of callsOf(entry.parts)) calls.set(call.callId, unwrapBridge(call));
    }
    if (entry.type !== "results") continue;
    for (const { callId, isError } of entry.results) {
      const call = calls.get(callId);
      if (isError || !call) continue;
      if (call.tool === "use_skill") book.use(conversationId, book.find(nameIn(call.inputText)));
      if (call.tool === "end_skill") book.use(conversationId, undefined);
    }
  }
}

function nameIn(inputText: string): string {
  try {
    const { name } = JSON.parse(inputText) as { readonly name?: unknown };
    return typeof name === "string" ? name : "";
  } catch {
    return "";
  }
}

/** Instructions for one kind of task, kept in a folder as `SKILL.md`. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  /** Null: all tools. Otherwise only these, by canonical name. It only ever narrows what is allowed. */
  readonly allowedTools: readonly AllowedTool[] | null;
  /** Where its `SKILL.md` is. */
  readonly path: string;
  /** A project's file is not followed to elsewhere when it is a link. */
  readonly source: "person" | "project";
}

/** `bash`, or `bash(git *)`: then only calls that such a rule fits. */
export interface AllowedTool {
  readonly tool: string;
  /** As it was written, with the canonical name; null for every call of the tool. */
  readonly rule: string | null;
}
