import type { Permit, PermitRequest } from "../../core/permit.ts";
import type { Skill } from "./skill.ts";
import type { SkillBook } from "./skill-book.ts";

/** What a skill can never forbid: to ask, to look for tools, and to change or end the skill. */
const alwaysAllowed = ["use_skill", "end_skill", "ask_user", "find_tools", "call_tool"];

export interface SkillGuardOptions {
  readonly book: SkillBook;
  /** Does a rule such as `bash(git *)` let this very call through? */
  readonly fitsRule: (rule: string, request: PermitRequest) => boolean | Promise<boolean>;
}

/** Refuses what the skill in use does not allow. Its yes only means that others may still say no. */
export function createSkillGuard({ book, fitsRule }: SkillGuardOptions): Permit {
  return async (request) => {
    const skill = book.inUse(request.execution.conversationId ?? "");
    if (!skill?.allowedTools || alwaysAllowed.includes(request.tool.name)) return { decision: "allow" };
    for (const { tool, rule } of skill.allowedTools) {
      if (tool !== request.tool.name) continue;
      if (rule === null || (await fitsRule(rule, request))) return { decision: "allow" };
    }
    const reason = `The skill "${skill.name}" is in use and allows only: ${describeAllowed(skill)}. Go on with these, or call end_skill when its work is done.`;
    return { decision: "deny", by: "rule", reason };
  };
}

export function describeAllowed({ allowedTools }: Skill): string {
  return (allowedTools ?? []).map(({ tool, rule }) => rule ?? tool).join(", ") || "no tools";
}
