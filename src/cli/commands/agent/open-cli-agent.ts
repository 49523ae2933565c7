import { clipText } from "../../../core/text.ts";
import { codeOf } from "../../../core/errors.ts";
import type { Model } from "../../../core/model.ts";
import type { Runtime } from "../../../runtime/create-runtime.ts";
import type { AgentRequest, OpenedAgent } from "../../../runtime/open-agent.ts";
import type { Invocation } from "../../parser/command.ts";

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
