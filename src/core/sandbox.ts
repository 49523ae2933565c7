/**
 * What held the processes of a call.
 * - `bwrap`: bubblewrap (Linux): file system view, PID namespace, network as configured
 * - `seatbelt`: sandbox-exec (macOS)
 * - `none`: nothing of the operating system
 */
export type SandboxKind = "bwrap" | "seatbelt" | "none";

export type SandboxProfile = "normal" | "strict";

export interface SandboxReport {
  readonly kind: SandboxKind;
  /** Null when there is none. */
  readonly profile: SandboxProfile | null;
  /** Whether its processes could reach the network. */
  readonly network: boolean;
}

/** Of two that held parts of one call, the one that held less. */
export function weakestSandbox(a: SandboxReport, b: SandboxReport): SandboxReport {
  return weight(a) <= weight(b) ? a : b;
}

function weight({ kind, profile, network }: SandboxReport): number {
  return (kind === "none" ? 0 : 4) + (profile === "strict" ? 2 : 0) + (network ? 0 : 1);
}
