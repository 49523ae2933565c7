import { dirname, join } from "node:path";
import { findSkills } from "./find-skills.ts";
import { createSkillBook, type SkillBook } from "./skill-book.ts";
import { createSkillGuard } from "./skill-guard.ts";
import { createSkillTools } from "./skill-tools.ts";
import type { Permit } from "../../core/permit.ts";
import type { Catalog } from "../../engine/catalog.ts";
import { userFile, type Folders } from "../../config/folders.ts";
import type { Environment } from "../../core/environment.ts";
import type { OpenGate } from "../../permissions/open-decide.ts";

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
