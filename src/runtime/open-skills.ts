import { dirname, join } from "node:path";
import { findSkills } from "../agent/skills/find-skills.ts";
import { createSkillBook, type SkillBook } from "../agent/skills/skill-book.ts";
import { createSkillGuard } from "../agent/skills/skill-guard.ts";
import { createSkillTools } from "../agent/skills/skill-tools.ts";
import type { AgentWiring } from "./agent-wiring.ts";
import { userFile } from "./folders.ts";

export interface OpenedSkills {
  readonly book: SkillBook;
  readonly problems: readonly string[];
}

/** The skills of the person and of the workdir; with none there is nothing to use them with either. */
export function openSkills(wiring: AgentWiring): Promise<OpenedSkills> {
  return wiring.useSkills(() => findBook(wiring));
}

async function findBook(wiring: AgentWiring): Promise<OpenedSkills> {
  const { catalog, runtime, env } = wiring;
  const { skills, problems } = await findSkills({
    workdir: runtime.workdir,
    userFolder: join(dirname(userFile(env)), "skills"),
    canonicalName: (name) => catalog.canonicalName(name),
  });
  const book = createSkillBook(skills);
  if (skills.length > 0) {
    for (const tool of createSkillTools(book)) if (!catalog.resolve(tool.name)) catalog.add(tool);
    wiring.useGuard({
      appliesTo: (conversationId) => book.inUse(conversationId) !== undefined,
      permit: createSkillGuard({ book, fitsRule: wiring.gate.fitsRule }),
    });
  }
  return { book, problems };
}
