import { codeOf, messageOf } from "../../../core/errors.ts";
import type { Model } from "../../../core/model.ts";
import { clipText } from "../../../core/text.ts";
import type { Runtime } from "../../../runtime/create-runtime.ts";
import type { AgentRequest, OpenedAgent } from "../../../runtime/open-agent.ts";
import type { Invocation } from "../../parser/command.ts";
import type { Terminal } from "../../terminal/terminal.ts";

export interface AgentToOpen {
  readonly invocation: Invocation;
  readonly model: Model;
  readonly mode?: "agent" | "chat";
  readonly settings: NonNullable<AgentRequest["settings"]>;
  /** Instead of what the options say. */
  readonly session?: string;
}

/** A new conversation, or the one that the options name. `--continue` starts anew where there is none to go on with. */
export async function openCliAgent(
  runtime: Runtime,
  { invocation, session, ...request }: AgentToOpen,
): Promise<OpenedAgent> {
  const named = session ?? invocation.value("session");
  if (named !== undefined) return runtime.openAgent({ ...request, session: named });
  if (!invocation.has("continue")) return runtime.openAgent(request);
  try {
    return await runtime.openAgent({ ...request, session: "latest" });
  } catch (thrown) {
    if (codeOf(thrown) !== "SESSION_UNKNOWN") throw thrown;
    return runtime.openAgent(request);
  }
}

/** What a crash left open, and what is wrong with the files: the person is to know before the model goes on. */
export function tellReconciled({ notices, reconciled }: OpenedAgent, tell: (text: string) => void): void {
  for (const notice of notices) tell(notice);
  for (const { call, outcome, executionId } of reconciled) {
    const record = executionId === null ? "" : ` (deckhand calls show ${executionId})`;
    const what = clipText(`${call.tool} ${call.inputText}`, 200);
    if (outcome === "unknown") tell(`Outcome unknown: ${what}${record}. It was not repeated.`);
    if (outcome === "repeated") tell(`Run again, because that is safe: ${what}`);
  }
}

/**
 * The model of --model, the one that the conversation to go on with had, or the one there is. Null when there is none: then
 * the person was told what to do.
 */
export async function openCliModel(
  runtime: Runtime,
  terminal: Terminal,
  { invocation, session }: { readonly invocation: Invocation; readonly session?: string },
): Promise<Model | null> {
  const named = invocation.value("model");
  const earlier = named === undefined ? await modelOfSession(runtime, session ?? sessionOf(invocation)) : undefined;
  if (earlier !== undefined) {
    try {
      const { model } = await runtime.openModel(earlier);
      if (model) return model;
    } catch (thrown) {
      // Another provider gets to read the conversation: that is for the person to know.
      terminal.tell(`This conversation was with ${earlier}, which can't be used now: ${messageOf(thrown)}`);
    }
  }
  const chosen = await runtime.openModel(named);
  if (chosen.model) return chosen.model;
  terminal.tell(chosen.advice.trimEnd());
  return null;
}

function sessionOf(invocation: Invocation): string | undefined {
  return invocation.value("session") ?? (invocation.has("continue") ? "latest" : undefined);
}

/** Whoever opens the session says what is wrong with it. */
async function modelOfSession(runtime: Runtime, session: string | undefined): Promise<string | undefined> {
  if (session === undefined) return undefined;
  try {
    const { branch } = await (await runtime.sessions()).read(session);
    return branch.findLast((entry) => "model" in entry)?.model;
  } catch {
    return undefined;
  }
}

/** The person begins anew: `--continue` does not go on with it any more, its id still does. Says which one it was. */
export async function endSession(runtime: Runtime, wanted: string): Promise<string> {
  const session = await (await runtime.sessions()).open(wanted);
  try {
    session.append({ type: "ended" });
    return session.id;
  } finally {
    await session.close();
  }
}
