import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Preamble } from "../agent/agent-deps.ts";
import { estimateTokens } from "../agent/context/estimate-tokens.ts";
import { lessonsForPrompt, readLessons } from "../agent/lessons/lessons-file.ts";
import { buildSystemPrompt } from "../agent/prompt/build-system-prompt.ts";
import { readWorkspaceContext } from "../agent/prompt/read-workspace-context.ts";
import { createBridgeTools } from "../agent/selection/bridge-tools.ts";
import { createSelectionCache, selectTools } from "../agent/selection/select-tools.ts";
import { restoreSelection, type Selection } from "../agent/selection/selection.ts";
import type { SkillBook } from "../agent/skills/skill-book.ts";
import { userFile } from "../config/folders.ts";
import type { EmitAgent } from "../core/events.ts";
import type { ModelFamily } from "../core/model.ts";
import type { Environment } from "../core/process.ts";
import type { Session } from "../core/session.ts";
import type { Tool } from "../core/tool.ts";
import type { Processes } from "../process/processes.ts";
import { managementNames } from "../tool-files/manage/management-tools.ts";
import { taskToolNames } from "../tools/tasks/task-tools.ts";
import type { AgentWiring } from "./stages.ts";

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

/** The programs of the agents that are known without settings; their adapters would take longer to load than to look for. */
export const agentPrograms = ["claude", "codex", "gemini", "opencode", "qwen", "pi"] as const;

/**
 * What a conversation that begins with these words may be offered. Some tools are worth their tokens only where there is something
 * to use them on, or the person speaks of it.
 */
function offeredTools(wiring: AgentWiring, words: string): Tool[] {
  const { catalog, workshop, configuration } = wiring;
  const agents = Object.keys(configuration.agents);
  // What manages tool files.
  const isAboutTools = workshop.status().total > 0 || speaksOfTools.test(words);
  // Whoever shares a store has workers; which agents they have is not asked before somebody wants one.
  const hasWorkers = configuration.store.url !== null;
  const isAboutAgents = hasWorkers || agents.length > 0 || speaksOfAgents.test(words) || hasAgent(wiring);
  return catalog
    .list("agent")
    .filter(({ name }) => (isAboutTools || !managementNames.has(name)) && (isAboutAgents || !taskToolNames.has(name)));
}

/**
 * Whether tools around tool files or agents are needed by now that a conversation was not offered, and can't reach through the bridge
 * either. Other tools that were added meanwhile are no reason to lose the provider's cache.
 */
export function lacksTools(wiring: AgentWiring, offered: readonly string[], words: string): boolean {
  if (offered.includes("call_tool")) return false;
  return offeredTools(wiring, words).some(
    ({ name }) => (managementNames.has(name) || taskToolNames.has(name)) && !offered.includes(name),
  );
}

// Also as a part of a tool's own name, such as use_agent.
const speaksOfTools = /(?<![a-z])tools?\b|도구|툴/i;
const speaksOfAgents = /(?<![a-z])(?:sub-?)?agents?\b|\bdelegat|\bbackground task|\btask_[0-9a-f]{8}|에이전트|위임/i;

function hasAgent({ processes, runtime, env }: Pick<AgentWiring, "processes" | "runtime" | "env">): boolean {
  return agentPrograms.some((program) => isInstalled(processes, program, { cwd: runtime.workdir, env }));
}

/** Whether it could be started now. */
export function isInstalled(
  { detached }: Pick<Processes, "detached">,
  program: string,
  { cwd, env }: { readonly cwd: string; readonly env: Environment },
): boolean {
  // Nothing else of the environment decides it, and other names (of exported functions, say) no command gets.
  const path = env["PATH"];
  return detached.findProblem({ argv: [program], cwd, env: path === undefined ? {} : { PATH: path } }) === null;
}
