import type { Clock } from "../core/clock.ts";
import type { Execution } from "../core/execution.ts";
import type { Permit } from "../core/permit.ts";
import type { PreImages } from "../agent/undo/pre-images.ts";
import type { SessionLeases } from "../core/session-leases.ts";
import type { Session } from "../core/session.ts";
import type { Catalog } from "../engine/catalog.ts";
import type { Journal } from "../journal/open-journal.ts";
import type { Processes } from "../process/processes.ts";
import type { Masker } from "../safety/secrets/create-masker.ts";
import type { Configuration } from "./configuration.ts";
import type { Folders } from "./folders.ts";
import type { JobCalls } from "./jobs/job-calls.ts";
import type { Environment } from "./load-configuration.ts";
import type { Analysis } from "./open-analysis.ts";
import type { OpenGate } from "./open-gate.ts";
import type { OpenedWorkshop } from "./open-workshop.ts";
import type { OpenedSkills } from "./open-skills.ts";
import type { Runtime } from "./runtime.ts";

/** What of a runtime its agents are made of. */
export interface AgentWiring {
  readonly runtime: Runtime;
  readonly configuration: Configuration;
  readonly folders: Folders;
  readonly clock: Clock;
  readonly env: Environment;
  readonly catalog: Catalog;
  readonly gate: OpenGate;
  readonly analysis: Analysis;
  readonly masker: Masker;
  readonly journal: Journal | null;
  readonly leases: SessionLeases;
  readonly workshop: OpenedWorkshop;
  /** All tools, before they are listed or chosen from. */
  readonly prepareTools: () => Promise<void>;
  /** Before a call: a promise when its tool must be loaded or asked for first. */
  readonly prepareFor: (tool: string) => Promise<void> | undefined;
  readonly processes: Processes;
  /** A program's own check comes first; nobody can say in advance what it thinks. */
  readonly hasOwnPermit: boolean;
  /** Nobody is there to answer. */
  readonly isUnattended: boolean;
  readonly jobCalls: JobCalls;
  /** From now on calls of the conversations it applies to pass it first. */
  readonly useGuard: (guard: ConversationGuard) => void;
  /** What files were before tools change them; the same for all conversations of the runtime. */
  readonly usePreImages: (open: () => PreImages) => PreImages;
  /** Found once: a skill in use is one for all conversations of the runtime, and for the tools that take it up. */
  readonly useSkills: (open: () => Promise<OpenedSkills>) => Promise<OpenedSkills>;
  /** The conversations that are open, by their ids. */
  readonly conversations: Map<string, Session>;
  /** See `onCallStarting` in `AgentDeps`. */
  readonly whenStarting: (executionId: string, act: () => void) => void;
  readonly lookUp: (executionId: string) => Promise<Execution | undefined>;
}

/** Narrows what the calls of a conversation may do; its yes only means that others may still say no. */
export interface ConversationGuard {
  appliesTo(conversationId: string): boolean;
  readonly permit: Permit;
}
