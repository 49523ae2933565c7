import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { clipText } from "../../core/cut-text.ts";
import { codeOf } from "../../core/errors.ts";
import { readNotesFile } from "../prompt/read-notes-file.ts";
import { readFrontMatter, splitOutside } from "./front-matter.ts";
import type { AllowedTool, Skill } from "./skill.ts";

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
