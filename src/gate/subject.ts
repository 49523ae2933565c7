import type { Access } from "../core/resource.ts";
import type { SimpleCommand } from "../safety/command/simple-command.ts";

export interface TouchedPath {
  /** As the call says it. */
  readonly given: string;
  readonly access: Access;
  /** Relative to the workdir: as written, and where links lead when that is another place. */
  readonly names: readonly string[];
}

/** What rules are matched against. */
export type Subject =
  | {
      readonly kind: "command";
      /** Every program that would be started. */
      readonly commands: readonly SimpleCommand[];
      /** Those that a rule must allow; the others only read, inside the workdir. */
      readonly toAllow: readonly SimpleCommand[];
      /** Arguments that are, or could be, paths in the workdir. */
      readonly paths: readonly TouchedPath[];
    }
  | { readonly kind: "paths"; readonly paths: readonly TouchedPath[] }
  | { readonly kind: "url"; readonly host: string | null }
  | { readonly kind: "other" };
