import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type AgentDeps, type AgentSettings, createAgentEvents, defaultAgentSettings } from "../agent/agent-deps.ts";
import { type Agent, createAgent, createOneAtATime, type ToolChange } from "../agent/agent.ts";
import { titleOfCall } from "../agent/call-title.ts";
import { createHistoryTool } from "../agent/context/history-tool.ts";
import { formatResult } from "../agent/context/result-text.ts";
import { findTaskNews } from "../agent/context/task-news.ts";
import { createLessonKeeper, type LessonKeeper } from "../agent/lessons/keep-lessons.ts";
import { unwrapBridge } from "../agent/selection/bridge-tools.ts";
import { isBridgeTool } from "../agent/selection/core-tools.ts";
import { openRuntimeSessions } from "../agent/session/open-sessions.ts";
import { reconcileSession, type ReconciledCall } from "../agent/session/reconcile.ts";
import { createSkillBook, restoreSkill, type Skill, type SkillBook } from "../agent/skills/skill-book.ts";
import type { PreImages } from "../agent/undo/pre-images.ts";
import { createPutFileBack } from "../agent/undo/undo-files.ts";
import { undoTurn, type UndoReport } from "../agent/undo/undo-turn.ts";
import type { Execution, ToolCall } from "../core/call.ts";
import type { CallPart, CallResult } from "../core/message.ts";
import type { Model, ToolOffer } from "../core/model.ts";
import type { Session } from "../core/session.ts";
import type { Catalog } from "../engine/catalog.ts";
import { resourcesOf } from "../engine/resources-of.ts";
import { lacksTools, openConversation } from "./open-conversation.ts";
import type { AgentWiring } from "./stages.ts";

export interface AgentRequest {
  readonly model: Model;
  /** An id, a part of one, or "latest"; left out: a new conversation. */
  readonly session?: string;
  /** `chat`: without tools. */
  readonly mode?: "agent" | "chat";
  readonly settings?: Partial<AgentSettings>;
}

export interface OpenedAgent extends Agent {
  /** What the person should know of what was found, in sentences. */
  readonly notices: readonly string[];
  /** Calls that were under way when the conversation ended, and what became of them. */
  readonly reconciled: readonly ReconciledCall[];
  /** Puts the files of the last turn back that changed any; undefined when there is none. */
  undo(options?: { readonly force?: boolean }): Promise<CountedUndo | undefined>;
  readonly lessons: LessonKeeper;
  readonly skills: { readonly all: readonly Skill[]; readonly inUse: () => Skill | undefined };
  /** Stops what is under way first. */
  close(): Promise<void>;
}

export interface CountedUndo extends UndoReport {
  /** Versions of tool files that are being tried and count this undo as a wrong result of theirs, as `name@hash`. */
  readonly corrected: readonly string[];
}

/** A conversation, new or resumed, with all that the workdir brings along for it. */
export async function openAgent(wiring: AgentWiring, request: AgentRequest): Promise<OpenedAgent> {
  const { runtime, catalog, clock, configuration, preImages } = wiring;
  const { model, mode = "agent" } = request;
  const sessions = openRuntimeSessions(wiring);
  const session = request.session
    ? await sessions.open(request.session)
    : await sessions.create({ model: model.id, workdir: runtime.workdir });
  try {
    const settings = { ...defaultAgentSettings, ...settingsOf(configuration), ...request.settings };
    const { book: skills, problems } =
      mode === "agent" ? await wiring.permissions.skills.open() : { book: createSkillBook([]), problems: [] };
    restoreSkill(skills, session.id, session.branch);
    const events = createAgentEvents(() => clock.now(), tellBroken);
    const deps = createAgentDeps(wiring, { session, settings, emit: events.emit, skills, preImages });
    const format = (execution: Execution): Promise<{ text: string; isError: boolean }> =>
      formatResult(execution, {
        maxCharacters: settings.maxResultCharacters,
        spill: (whole) => deps.saveLongOutput(whole, execution.id),
      });
    const { calls } = await reconcileSession(session, {
      lookUp: (id) => runtime.get(id),
      replayOf: (tool) => catalog.resolve(tool)?.traits.replay ?? "never",
      rerun: (call) => rerun(wiring, { session, call, format }),
      format: async (execution, { callId, tool }) => ({ callId, tool, ...(await format(execution)) }),
    });
    const oneAtATime = createOneAtATime();
    const opened = { session, mode, skills, addedPrompt: settings.addedPrompt };
    const agent = createAgent(deps, {
      model,
      events,
      oneAtATime,
      loadPreamble: (prompt) =>
        openConversation(wiring, { ...opened, family: model.family, emit: events.emit }, prompt),
      ...(mode === "agent" ? { findToolChange: watchToolChanges(wiring) } : {}),
      async afterRun(end, executions) {
        const { checkAnswer } = await import("../agent/evidence/check-answer.ts");
        checkAnswer(wiring, { session, emit: events.emit }, { end, executions });
      },
    });
    wiring.conversations.set(session.id, session);
    const history = createHistoryTool((id) => wiring.conversations.get(id)?.branch ?? []);
    if (mode === "agent" && !catalog.resolve(history.name)) catalog.add(history);
    return Object.assign(agent, {
      notices: [...session.problems, ...problems],
      reconciled: calls,
      undo: ({ force = false } = {}) =>
        oneAtATime.run(async () => {
          const report = await undoTurn({
            session,
            preImages,
            putBack: createPutFileBack({ workdir: runtime.workdir }),
            effectOf: (call) => effectOf(call, catalog),
            force,
          });
          return report && { ...report, corrected: await wiring.countUndo(report.usedCalls) };
        }),
      lessons: createLessonKeeper(wiring, agent),
      skills: { all: skills.skills, inUse: () => skills.inUse(session.id) },
      async close() {
        await oneAtATime.stop();
        wiring.conversations.delete(session.id);
        await session.close();
      },
    });
  } catch (thrown) {
    await session.close();
    throw thrown;
  }
}

/** What a call did that no file can be put back for; nothing when it only read. */
function effectOf(call: CallPart, catalog: Catalog): string | undefined {
  const { tool, inputText } = unwrapBridge(call);
  if (catalog.resolve(tool)?.traits.readOnly ?? true) return undefined;
  return `${tool} ${titleOfCall(inputText)}`.trim();
}

function settingsOf({ limits, model }: AgentWiring["configuration"]): Partial<AgentSettings> {
  const { maxTurns, maxCost, maxContextTokens, maxResultCharacters } = limits;
  return {
    maxTurns,
    maxCost,
    maxContextTokens,
    maxResultCharacters,
    maxOutputTokens: model.max_output_tokens ?? null,
    forceFirstTool: model.force_first_tool ?? false,
  };
}

/** A call that is safe to repeat, and was interrupted. */
async function rerun(
  { runtime }: AgentWiring,
  {
    session,
    call,
    format,
  }: {
    readonly session: Session;
    readonly call: CallPart;
    readonly format: (execution: Execution) => Promise<{ text: string; isError: boolean }>;
  },
): Promise<CallResult> {
  const { tool, inputText } = unwrapBridge(call);
  const execution = await runtime.call(tool, undefined, { inputText, door: "agent", conversationId: session.id });
  return { callId: call.callId, tool: call.tool, ...(await format(execution)) };
}

/** A listener of the program's own threw: that is told where Node tells such things, and reaches no run. */
function tellBroken(thrown: unknown): void {
  process.emitWarning(thrown instanceof Error ? thrown : String(thrown));
}

/** Notices, at the boundary of two turns, that tools are others than those a conversation was told of. */
function watchToolChanges(wiring: AgentWiring): (offers: readonly ToolOffer[], prompt: string) => Promise<ToolChange> {
  const { catalog, workshop } = wiring;
  let known = versions();

  function versions(): ReadonlyMap<string, string> {
    const live = workshop.status().files.flatMap(({ tool, version }) => (tool && version ? [[tool, version]] : []));
    return new Map(live as [string, string][]);
  }

  function isOther(offer: ToolOffer): boolean {
    const tool = catalog.resolve(offer.name);
    if (!tool || tool.name !== offer.name) return true;
    // What the bridge says of itself was written for this conversation.
    if (isBridgeTool(tool) || tool.version === "builtin") return false;
    return (
      tool.description !== offer.description || JSON.stringify(tool.inputSchema) !== JSON.stringify(offer.inputSchema)
    );
  }

  return async (offers, prompt) => {
    await workshop.refresh();
    const before = known;
    known = versions();
    const others = offers.filter(isOther).map(({ name }) => name);
    const added = [...known.keys()].filter((name) => !before.has(name) && !others.includes(name));
    const changed = [...known].flatMap(([name, version]) =>
      before.has(name) && before.get(name) !== version && !others.includes(name) ? [name] : [],
    );
    const isShort = lacksTools(
      wiring,
      offers.map(({ name }) => name),
      prompt,
    );
    const notes = [
      ...(added.length === 0 || isShort
        ? []
        : [`New tools since then: ${added.join(", ")}; call_tool runs them, find_tools says how.`]),
      ...(changed.length === 0 ? [] : [`Changed since then, with the same input: ${changed.join(", ")}.`]),
    ];
    return { others, isShort, note: notes.length === 0 ? null : notes.join(" ") };
  };
}

type AgentDepsOptions = Pick<AgentDeps, "session" | "settings" | "emit"> & {
  readonly skills: SkillBook;
  readonly preImages: PreImages;
};

/** The runtime, as the agent of one session uses it. */
function createAgentDeps(
  wiring: AgentWiring,
  { session, settings, emit, skills, preImages }: AgentDepsOptions,
): AgentDeps {
  const { runtime, catalog, permissions, analysis, masker, journal, folders, workshop, clock } = wiring;
  const conversationId = session.id;

  function canStartEarly({ tool: name, inputText, offered }: ToolCall): boolean {
    const tool = catalog.resolve(name);
    if (!tool || offered?.has(tool.name) === false) return false;
    if (wiring.hasOwnPermit || skills.inUse(conversationId)?.allowedTools) return false;
    try {
      const checked = tool.check(JSON.parse(inputText?.trim() || "{}"));
      if (!checked.ok) return false;
      const { input } = checked;
      // A read-only tool may still change our own state, such as the skill in use or a question to the user.
      const changesNothing = resourcesOf(tool, input).every(({ access }) => access === "read");
      return changesNothing && permissions.foreseeQuietRead({ tool, input, workdir: runtime.workdir });
    } catch {
      return false; // the error is reported when the call runs
    }
  }

  return {
    session,
    settings,
    clock,
    emit,
    openBatch: (options) => runtime.openBatch(options),
    prepareTool(tool) {
      const name = catalog.canonicalName(tool) ?? tool;
      const files = name === "call_tool" ? workshop.refresh() : wiring.prepareFor(name);
      const commands = commandTools.has(name) ? analysis.load() : undefined;
      return files && commands ? Promise.all([files, commands]).then(() => undefined) : (files ?? commands);
    },
    canStartEarly,
    onCallStarting: (executionId, callback) => wiring.whenStarting(executionId, callback),
    cancelCall: (executionId, reason) => runtime.cancel(executionId, reason),
    callStatistics: () => runtime.statistics(conversationId),
    callableTools(offers) {
      const names = new Set(offers.map(({ name }) => name));
      // With tool files there may be tools that are newer than the offers.
      const canFind = names.has("call_tool") || (names.size > 0 && workshop.status().total > 0);
      return canFind ? names.union(new Set(catalog.list("agent").map(({ name }) => name))) : names;
    },
    maxParallelCalls: wiring.configuration.limits.maxParallel,
    isReadOnly: (tool) => catalog.resolve(tool)?.traits.readOnly ?? false,
    canonicalName: (tool) => catalog.canonicalName(tool),
    async saveLongOutput(text, executionId) {
      try {
        await mkdir(folders.outputs, { recursive: true, mode: 0o700 });
        const path = join(folders.outputs, `${executionId}.result.txt`);
        await writeFile(path, masker.text(text), { mode: 0o600 });
        return path;
      } catch {
        return null; // the result then says that the rest could not be saved
      }
    },
    maskExecution: (execution) => masker.execution(execution),
    maskText: (text) => masker.text(text),
    maskValue: (value) => masker.value(value),
    log: (type, text) => journal?.appendBehind({ type, conversationId, text }),
    beginUndoGroup: (entryId) => preImages.begin(conversationId, entryId),
    // A broken task store must not end a run; the task tools report the problem.
    describeEndedTasks: () => findTaskNews(session.branch, () => runtime.tasks()).catch(() => null),
  };
}

/** Tools that take a command, and the bridge that may call one: the command parser is needed to assess their calls. */
const commandTools: ReadonlySet<string> = new Set(["bash", "run_python", "call_tool"]);
