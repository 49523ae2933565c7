import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { z } from "zod";
import { userFile, type Folders } from "../../config/folders.ts";
import { clipText, cutText, nearest } from "../../core/text.ts";
import { defineTool } from "../../core/define-tool.ts";
import type { Environment } from "../../core/process.ts";
import { codeOf } from "../../core/errors.ts";
import type { Permit, PermitRequest } from "../../core/approval.ts";
import type { Resource, Tool, ToolResult } from "../../core/tool.ts";
import type { Catalog } from "../../engine/catalog.ts";
import type { OpenGate } from "../../permissions/open-decide.ts";
import { readNotesFile } from "../prompt/read-notes-file.ts";
import { readFrontMatter, splitOutside } from "./front-matter.ts";
import { type AllowedTool, createSkillBook, type Skill, type SkillBook } from "./skill-book.ts";

export interface SkillsDeps {
  readonly catalog: Catalog;
  readonly folders: Pick<Folders, "workdir">;
  readonly env: Environment;
  readonly fitsRule: OpenGate["fitsRule"];
}

export interface OpenedSkills {
  readonly book: SkillBook;
  readonly problems: readonly string[];
  /** Refuses what the skill in use does not allow. */
  readonly permit: Permit;
}

/** The skills of the person and of the workdir. Without any, there are no tools for them either. */
export async function openSkills({ catalog, folders, env, fitsRule }: SkillsDeps): Promise<OpenedSkills> {
  const { skills, problems } = await findSkills({
    workdir: folders.workdir,
    userFolder: join(dirname(userFile(env)), "skills"),
    canonicalName: (name) => catalog.canonicalName(name),
  });
  const book = createSkillBook(skills);
  if (skills.length > 0) {
    for (const tool of createSkillTools(book)) if (!catalog.resolve(tool.name)) catalog.add(tool);
  }
  return { book, problems, permit: createSkillGuard({ book, fitsRule }) };
}

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

function describeAllowed({ allowedTools }: Skill): string {
  return (allowedTools ?? []).map(({ tool, rule }) => rule ?? tool).join(", ") || "no tools";
}

export interface FindSkillsOptions {
  readonly workdir: string;
  /** The person's own skills, which come before those of a project that have the same name. */
  readonly userFolder: string;
  /** Of a tool, also by an alias; undefined when there is no such tool. */
  readonly canonicalName: (tool: string) => string | undefined;
}

export interface FoundSkills {
  readonly skills: readonly Skill[];
  /** One sentence for each skill that can't be used, or not as it was meant. */
  readonly problems: readonly string[];
}

/** Where a project keeps skills, its own place first. */
const projectFolders = ["skills", ".agents/skills", ".claude/skills"];
const mostSkills = 100;

/** Reads the heads only; the text of a skill is read when it is used. Never throws. */
export async function findSkills(options: FindSkillsOptions): Promise<FoundSkills> {
  const skills = new Map<string, Skill>();
  const problems: string[] = [];
  for (const place of await skillFolders(options, problems)) {
    const path = join(place.folder, "SKILL.md");
    const read = await readNotesFile(path, { followLinks: place.source === "person" });
    if (read.state === "missing") continue;
    const skill = read.state === "read" ? readSkill(path, read.text, options) : read.why;
    const why = typeof skill === "string" ? skill : whyNot(skill, skills);
    if (typeof skill === "string" || why !== undefined) problems.push(`The skill ${path} is not used: ${why}.`);
    else {
      skills.set(skill.name.toLowerCase(), { ...skill, source: place.source });
      problems.push(...unknownTools(skill, options.canonicalName));
    }
  }
  return { skills: [...skills.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)), problems };
}

function whyNot({ name }: ReadSkill, skills: ReadonlyMap<string, Skill>): string | undefined {
  const same = skills.get(name.toLowerCase());
  if (same) return `${same.path} has the same name`;
  return skills.size >= mostSkills ? `there are more than ${mostSkills}` : undefined;
}

interface SkillFolder {
  readonly folder: string;
  readonly source: Skill["source"];
}

async function skillFolders({ workdir, userFolder }: FindSkillsOptions, problems: string[]): Promise<SkillFolder[]> {
  const found: SkillFolder[] = [];
  const own = await foldersIn(userFolder, problems);
  for (const { path } of own) found.push({ folder: path, source: "person" });
  const seen = new Set<string>();
  for (const name of projectFolders) {
    const folder = await realpath(join(workdir, name)).catch(() => undefined);
    // One of the places is often a link to another.
    if (folder === undefined || seen.has(folder)) continue;
    seen.add(folder);
    if (!folder.startsWith(`${workdir}${sep}`))
      problems.push(`The skills in ${name} are not used: it leads out of the workdir.`);
    else {
      for (const { path, isLink } of await foldersIn(folder, problems)) {
        if (!isLink) found.push({ folder: path, source: "project" });
      }
    }
  }
  return found;
}

async function foldersIn(folder: string, problems: string[]): Promise<{ path: string; isLink: boolean }[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map((entry) => ({ path: join(folder, entry.name), isLink: entry.isSymbolicLink() }))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code !== "ENOENT" && code !== "ENOTDIR") problems.push(`The skills in ${folder} can't be read (${code}).`);
    return [];
  }
}

type ReadSkill = Omit<Skill, "source">;

/** The skill, or the rest of a sentence that says what is wrong with it. */
function readSkill(path: string, text: string, { canonicalName }: FindSkillsOptions): ReadSkill | string {
  const head = readFrontMatter(text);
  if (!head.ok) return head.problem;
  const name = head.fields.get("name") ?? basename(dirname(path));
  const description = head.fields.get("description");
  if (typeof name !== "string" || !/^[a-z0-9][\w-]{0,63}$/i.test(name)) {
    return `its name must have 1 to 64 letters, digits, "_" or "-"`;
  }
  if (typeof description !== "string" || description.trim() === "") return "its head has no description";
  if (head.body === "") return "there is no text below its head";
  const allowed = head.fields.get("allowed-tools") ?? head.fields.get("allowed_tools");
  return {
    name,
    description: clipText(description.replaceAll(/\s+/g, " ").trim(), longestDescription),
    allowedTools: allowed === undefined ? null : readAllowed(allowed, canonicalName),
    path,
  };
}

const longestDescription = 400;

function readAllowed(
  value: string | readonly string[],
  canonicalName: FindSkillsOptions["canonicalName"],
): readonly AllowedTool[] {
  const texts = typeof value === "string" ? splitOutside(value, ", ") : value;
  return texts.map((text) => {
    const [, name = text, spec] = /^([^(\s]+)\s*\((.*)\)$/s.exec(text) ?? [];
    const tool = canonicalName(name) ?? name;
    // `bash(git:*)` is how another agent writes `bash(git *)`.
    return { tool, rule: spec === undefined ? null : `${tool}(${spec.replace(/:\*$/, " *")})` };
  });
}

function unknownTools({ name, allowedTools }: ReadSkill, canonicalName: FindSkillsOptions["canonicalName"]): string[] {
  const unknown = (allowedTools ?? []).filter(({ tool }) => canonicalName(tool) === undefined).map(({ tool }) => tool);
  if (unknown.length === 0) return [];
  return [`The skill "${name}" allows ${unknown.join(", ")}, which is no tool here.`];
}
