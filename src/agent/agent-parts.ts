import type { AgentEvents, EmitAgent } from "../core/agent-events.ts";
import type { Clock } from "../core/clock.ts";
import type { CallPart, Message } from "../core/message.ts";
import type { Model, ToolOffer } from "../core/model.ts";
import type { Session } from "../core/session.ts";
import type { AgentHost, AgentSettings } from "./host.ts";
import type { ContextKeeper } from "./keep-context.ts";

/** All that a run works with. What the model gets before the conversation (system, offers) is frozen. */
export interface AgentParts {
  readonly session: Session;
  readonly host: AgentHost;
  readonly settings: AgentSettings;
  readonly clock: Clock;
  readonly emit: EmitAgent;
  /** The person may choose another one between two turns. */
  readonly model: () => Model;
  readonly system: string;
  readonly offers: readonly ToolOffer[];
  readonly saving: AgentEvents["tools:offered"] | null;
  /** The conversation as it stands. */
  readonly messages: () => readonly Message[];
  readonly context: ContextKeeper;
  /** A call to the bridge is a call of the tool it names. */
  readonly unwrap: (call: CallPart) => CallPart;
  readonly tell: (level: "info" | "warning", text: string) => void;
}
