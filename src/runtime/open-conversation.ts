import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Preamble } from "../agent/agent-deps.ts";
import { estimateTokens } from "../agent/context/estimate-tokens.ts";
import { lessonsForPrompt } from "../agent/lessons/lessons-for-prompt.ts";
import { readLessons } from "../agent/lessons/lessons-file.ts";
import { buildSystemPrompt } from "../agent/prompt/build-system-prompt.ts";
import { readWorkspaceContext } from "../agent/prompt/read-workspace-context.ts";
import { createBridgeTools } from "../agent/selection/bridge-tools.ts";
import { selectTools } from "../agent/selection/select-tools.ts";
import { restoreSelection, type Selection } from "../agent/selection/selection.ts";
import { createSelectionCache } from "../agent/selection/selection-cache.ts";
import type { SkillBook } from "../agent/skills/skill-book.ts";
import type { EmitAgent } from "../core/events.ts";
import type { ModelFamily } from "../core/model.ts";
import type { Session } from "../core/session.ts";
import type { AgentWiring } from "./agent-wiring.ts";
import { userFile } from "../config/folders.ts";
import { managementNames } from "../tool-files/manage/management-tools.ts";
import { lacksTools, offeredTools, speaksOfTools } from "./offered-tools.ts";

export interface ConversationToOpen {
  readonly session: Session;
  readonly mode: "agent" | "chat";
  readonly family: ModelFamily;
  readonly skills: SkillBook;
  readonly emit: EmitAgent;
  readonly addedPrompt: string | null;
}

/** Kept for as long as the program runs: the same words about the same tools get the same choice. */
const choices = createSelectionCache();

/**
 * What the model gets before the conversation: made once, then frozen, so that the provider's cache survives. Made again when a later
 * prompt needs tools that were left out.
 */
export async function openConversation(
  wiring: AgentWiring,
  conversation: ConversationToOpen,
  words: string,
): Promise<Preamble> {
  const { runtime, env, folders, masker, clock } = wiring;
  const { mode, family, skills, emit } = conversation;
  const selection = mode === "agent" ? await chooseTools(wiring, conversation, words) : null;
  const notes = await readWorkspaceContext({
    workdir: runtime.workdir,
    home: env["HOME"] || homedir(),
    userFile: join(dirname(userFile(env)), "AGENTS.md"),
  });
  for (const text of notes.notices) emit("notice:told", { level: "warning", text });
  const lessons = await readLessons(folders.lessons);
  const system = buildSystemPrompt({
    workdir: runtime.workdir,
    platform: process.platform,
    date: new Date(clock.now()).toISOString().slice(0, "2026-01-01".length),
    family,
    mode,
    tools: selection?.names ?? [],
    skills: skills.skills,
    lessons: lessonsForPrompt(lessons, (text) => masker.text(text)),
    notes: notes.files,
    isUnattended: wiring.isUnattended,
    permissionMode: wiring.permissionMode(),
    added: conversation.addedPrompt,
  });
  return {
    system,
    tools: selection?.offers ?? [],
    toolSavings: selection && savingOf(selection),
  };
}

async function chooseTools(wiring: AgentWiring, { session }: ConversationToOpen, words: string): Promise<Selection> {
  const { catalog, workshop, runtime } = wiring;
  for (const tool of createBridgeTools(catalog)) if (!catalog.resolve(tool.name)) catalog.add(tool);
  await runtime.prepareTools();
  const chosen = session.branch.findLast((entry) => entry.type === "tools");
  const before = chosen?.type === "tools" ? chosen.names : null;
  const restore = (names: readonly string[]): Selection =>
    restoreSelection({ tools: catalog.list("agent"), estimate: estimateTokens }, names);
  if (before && !lacksTools(wiring, before, words)) return restore(before);
  const selection = await selectTools({
    tools: offeredTools(wiring, words),
    prompt: words,
    estimate: estimateTokens,
    aliasesOf: (name) => catalog.aliasesOf(name),
    cache: choices,
    mayGrow: workshop.status().total > 0 || speaksOfTools.test(words),
    isOwn: ({ name }) => workshop.liveVersion(name) !== undefined,
    // Where the person speaks of tools, they are chosen like any other.
    isForOwn: ({ name }) => managementNames.has(name) && !speaksOfTools.test(words),
  });
  const names = [...new Set([...(before ?? []), ...selection.names])];
  session.append({ type: "tools", names });
  return before ? restore(names) : selection;
}

function savingOf({ offers, total, totalTokens, offeredTokens, savedPercent }: Selection): Preamble["toolSavings"] {
  return { offered: offers.length, total, tokens: offeredTokens, allTokens: totalTokens, savedPercent };
}
