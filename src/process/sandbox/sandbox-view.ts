import type { SandboxProfile } from "../../core/call.ts";

/** What a command may see and change. All paths are absolute. */
export interface SandboxView {
  /** Its real path. Everything below can be written, except what is named here. */
  readonly workdir: string;
  /** `normal`: the whole machine can be read; `strict`: the system's programs and the workdir only. */
  readonly profile: SandboxProfile;
  readonly network: boolean;
  /** Folders and files whose content nobody inside sees: keys, tokens, the runtime's own state. */
  readonly hidden: readonly string[];
  /** Names below the workdir that can't be changed, nor made when they are missing. */
  readonly readOnly: readonly string[];
  /** What exists below the workdir and a deny rule keeps from being written. */
  readonly denied?: readonly string[];
  /** Further folders that the person lets commands write to. */
  readonly writable: readonly string[];
  /** Folders that can be read although they lie where commands see a private /tmp; such as that of our own program. */
  readonly readable?: readonly string[];
  /** A folder for the caches of package managers that outlives the runtime; without it they last as long as /tmp. */
  readonly cache?: string;
}
