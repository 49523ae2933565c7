import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { cutText } from "../../core/cut-text.ts";
import { defineTool } from "../../core/define-tool.ts";
import { nearest } from "../../core/nearest.ts";
import type { Resource } from "../../core/resource.ts";
import type { Tool, ToolResult } from "../../core/tool.ts";
import { readNotesFile } from "../prompt/read-notes-file.ts";
import { readFrontMatter } from "./front-matter.ts";
import { describeAllowed } from "./skill-guard.ts";
import type { Skill } from "./skill.ts";
import type { SkillBook } from "./skill-book.ts";

/** Nothing when there are no skills: a tool that can only fail is not worth its tokens. */
export function createSkillTools(book: SkillBook): Tool[] {
  if (book.skills.length === 0) return [];
  const useSkill = defineTool({
    name: "use_skill",
    description: "Take up a skill: returns its instructions. Its allowed tools hold until end_skill.",
    traits,
    input: z.object({ name: z.string() }),
    resources: () => beforeAllElse,
    async run({ name }, { conversationId = "" }) {
      const skill = book.find(name);
      if (!skill) return unknownSkill(name, book);
      const result = await readText(skill);
      if (result.ok) book.use(conversationId, skill);
      return result;
    },
  });
  const endSkill = defineTool({
    name: "end_skill",
    description: "Lay down the skill in use when its work is done.",
    traits,
    input: z.object({}),
    resources: () => beforeAllElse,
    run(_input, { conversationId = "" }) {
      const skill = book.inUse(conversationId);
      book.use(conversationId, undefined);
      const output = skill ? `The skill "${skill.name}" is no longer in use.` : "No skill was in use.";
      return Promise.resolve({ ok: true, output });
    },
  });
  return [useSkill, endSkill];
}

const traits = { readOnly: true, risk: "low", category: "skills", offeredIn: ["agent"], idempotent: true } as const;

/** Calls behind it in the same reply are judged by the skill, so they wait for it. */
const beforeAllElse: readonly Resource[] = [{ kind: "everything", access: "write" }];

const longestText = 30_000;

async function readText(skill: Skill): Promise<ToolResult> {
  const read = await readNotesFile(skill.path, { followLinks: skill.source === "person" });
  const head = read.state === "read" ? readFrontMatter(read.text) : undefined;
  if (!head?.ok) {
    const error = `The skill "${skill.name}" can't be read any more: ${skill.path}`;
    return { ok: false, error, hint: "Go on without it.", errorType: "io" };
  }
  const folder = dirname(skill.path);
  const files = (await readdir(folder).catch(() => [])).filter((name) => name !== "SKILL.md").slice(0, 50);
  const lines = [
    cutText(head.body, longestText),
    "",
    `[Skill folder: ${folder}${files.length > 0 ? `, with ${files.join(", ")}` : ""}]`,
  ];
  if (skill.allowedTools) lines.push(`[In use until end_skill. Allowed: ${describeAllowed(skill)}]`);
  return { ok: true, output: lines.join("\n"), data: { skill: skill.name } };
}

function unknownSkill(name: string, { skills }: SkillBook): ToolResult {
  const known = skills.map((skill) => skill.name);
  const near = nearest(name, known);
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `The skills are: ${known.join(", ")}.`;
  return { ok: false, error: `There is no skill "${name.slice(0, 100)}".`, hint, errorType: "not_found" };
}
