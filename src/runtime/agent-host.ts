import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentHost } from "../agent/host.ts";
import type { SkillBook } from "../agent/skills/skill-book.ts";
import type { PreImages } from "../agent/undo/pre-images.ts";
import type { SessionEntry } from "../core/session.ts";
import type { ToolCall } from "../core/tool-call.ts";
import { resourcesOf } from "../engine/resources-of.ts";
import type { AgentWiring } from "./agent-wiring.ts";
import { findTaskNews } from "./task-news.ts";

export interface HostedConversation {
  readonly conversationId: string;
  readonly branch: () => readonly SessionEntry[];
  readonly skills: SkillBook;
  readonly preImages: PreImages;
}

/** The runtime as an agent of this conversation sees it. */
export function createAgentHost(
  wiring: AgentWiring,
  { conversationId, branch, skills, preImages }: HostedConversation,
): AgentHost {
  const { runtime, catalog, gate, analysis, masker, journal, folders, workshop } = wiring;

  function mayStartEarly({ tool: name, inputText }: ToolCall): boolean {
    const tool = catalog.resolve(name);
    if (!tool || wiring.hasOwnPermit || skills.inUse(conversationId)?.allowedTools) return false;
    try {
      const checked = tool.check(JSON.parse(inputText?.trim() || "{}"));
      if (!checked.ok) return false;
      const { input } = checked;
      // What only reads may still change something of ours: which skill is in use, or whom a person is answering.
      const changesNothing = resourcesOf(tool, input).every(({ access }) => access === "read");
      return changesNothing && gate.foreseeQuietRead({ tool, input, workdir: runtime.workdir });
    } catch {
      return false; // what is wrong with it is said when it runs
    }
  }

  return {
    openBatch: (options) => runtime.openBatch(options),
    prepareFor(tool) {
      const name = catalog.canonicalName(tool) ?? tool;
      const files = name === "call_tool" ? workshop.refresh() : wiring.prepareFor(name);
      const commands = holdsCommands.has(name) ? analysis.load() : undefined;
      return files && commands ? Promise.all([files, commands]).then(() => undefined) : (files ?? commands);
    },
    mayStartEarly,
    whenStarting: (executionId, act) => wiring.whenStarting(executionId, act),
    cancel: (executionId, reason) => runtime.cancel(executionId, reason),
    statistics: () => runtime.statistics(conversationId),
    canonicalName: (tool) => catalog.canonicalName(tool),
    maskExecution: (execution) => masker.execution(execution),
    maskText: (text) => masker.text(text),
    async spill(text, executionId) {
      try {
        await mkdir(folders.outputs, { recursive: true, mode: 0o700 });
        const path = join(folders.outputs, `${executionId}.result.txt`);
        await writeFile(path, masker.text(text), { mode: 0o600 });
        return path;
      } catch {
        return null; // the result says that the rest is lost
      }
    },
    beginTurn: (entryId) => preImages.begin(conversationId, entryId),
    // Whoever asks for a task hears what is wrong with them.
    news: () => findTaskNews(branch(), () => runtime.tasks()).catch(() => null),
    log: (type, text) => journal?.appendBehind({ type, conversationId, text }),
  };
}

/** Their calls are judged by the parser of commands, or may turn out to be calls of such a tool. */
const holdsCommands: ReadonlySet<string> = new Set(["bash", "run_python", "call_tool"]);
