import { join } from "node:path";
import { openSessions, type Sessions } from "./sessions.ts";
import type { AgentWiring } from "../../runtime/stages.ts";
import { version } from "../../config/version.ts";

export type SessionParts = Pick<AgentWiring, "folders" | "leases" | "processes" | "masker" | "clock">;

/** The conversations of a workdir. */
export function openRuntimeSessions({ folders, leases, processes, masker, clock }: SessionParts): Sessions {
  return openSessions({
    folder: sessionsFolder(folders),
    leases,
    owner: processes.identity,
    isAlive: (owner) => processes.isAlive(owner),
    mask: (value) => masker.value(value),
    clock,
    version,
  });
}

export function sessionsFolder({ data }: Pick<AgentWiring["folders"], "data">): string {
  return join(data, "sessions");
}
