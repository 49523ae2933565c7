import type { PreImages } from "../agent/undo/pre-images.ts";
import type { Session } from "../core/session.ts";
import type { PermissionMode } from "../core/permission.ts";
import type { Records } from "./open-records.ts";
import type { OpenedTools } from "./open-tools.ts";
import type { Permissions } from "./permissions.ts";
import type { Runtime } from "./runtime.ts";
import type { Workspace } from "./workspace.ts";

/** What the agents of a runtime depend on. */
export interface AgentWiring
  extends
    Pick<Workspace, "configuration" | "folders" | "clock" | "env" | "analysis" | "masker" | "processes">,
    Pick<Records, "journal" | "leases">,
    Pick<OpenedTools, "catalog" | "workshop" | "prepareFor"> {
  readonly runtime: Pick<
    Runtime,
    "workdir" | "call" | "openBatch" | "cancel" | "get" | "list" | "statistics" | "tasks" | "prepareTools"
  >;
  readonly permissions: Pick<Permissions, "foreseeQuietRead" | "skills">;
  readonly permissionMode: () => PermissionMode;
  /** A program's own check comes first, and what it decides can't be known in advance. */
  readonly hasOwnPermit: boolean;
  /** No person can answer questions or approve calls. */
  readonly isUnattended: boolean;
  /** What files were before tools changed them; shared by all conversations. */
  readonly preImages: PreImages;
  /** Counts an undo against the versions that ran these calls, where they are being tried; which ones. Never rejects. */
  readonly countUndo: (executionIds: readonly string[]) => Promise<readonly string[]>;
  /** The conversations that are open, by their ids. */
  readonly conversations: Map<string, Session>;
  /** See `onCallStarting` in `AgentDeps`. */
  readonly whenStarting: (executionId: string, act: () => void) => void;
}
