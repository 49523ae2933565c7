import { defaultAgentSettings, type AgentSettings } from "../agent/agent-deps.ts";
import { createAgentEvents } from "../agent/emit-agent-events.ts";
import { createAgent, type Agent } from "../agent/agent.ts";
import { createHistoryTool } from "../agent/context/history-tool.ts";
import { formatResult } from "../agent/context/result-text.ts";
import { createOneAtATime } from "../agent/one-prompt-at-a-time.ts";
import { unwrapBridge } from "../agent/selection/unwrap-bridge.ts";
import { reconcileSession, type ReconciledCall } from "../agent/session/reconcile.ts";
import { createSkillBook, restoreSkill } from "../agent/skills/skill-book.ts";
import type { Skill } from "../agent/skills/skill.ts";
import { titleOfCall } from "../agent/call-title.ts";
import { undoTurn, type UndoReport } from "../agent/undo/undo-turn.ts";
import type { Execution } from "../core/call.ts";
import type { CallPart, CallResult } from "../core/message.ts";
import type { Model } from "../core/model.ts";
import type { Session } from "../core/session.ts";
import type { Catalog } from "../engine/catalog.ts";
import type { AgentWiring } from "./agent-wiring.ts";
import { createAgentDeps } from "./create-agent-deps.ts";
import { createLessonKeeper, type LessonKeeper } from "../agent/lessons/keep-lessons.ts";
import { openConversation } from "./open-conversation.ts";
import { openRuntimeSessions } from "../agent/session/open-sessions.ts";
import { watchToolChanges } from "./tool-changes.ts";
import { createPutFileBack } from "../agent/undo/undo-files.ts";

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
