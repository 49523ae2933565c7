import type { Access } from "../core/tool.ts";
import type { SimpleCommand } from "../../packages/command-analysis/src/simple-command.ts";

export interface TouchedPath {
  /** As the call says it. */
  readonly given: string;
  readonly access: Access;
  /** It is written, and may be read as well: rules for either cover it. */
  readonly mayBeRead?: boolean;
  /** Relative to the workdir: as written, and where links lead when that is another place. */
  readonly names: readonly string[];
}

/** A folder whose files a command reads or copies without naming them. */
export interface SearchedPlace {
  /** Absolute. */
  readonly path: string;
  /** As those of a touched path. */
  readonly names: readonly string[];
  /** Whether also what lies behind names that begin with a dot. */
  readonly hidden: boolean;
  /** Only files whose last name fits this. */
  readonly pattern?: string;
}

/** What rules are matched against. */
export type Subject =
  | {
      readonly kind: "command";
      /** Every program that would be started. */
      readonly commands: readonly SimpleCommand[];
      /** Those that a rule must allow; the others only read, inside the workdir, and do not change what these mean. */
      readonly toAllow: readonly SimpleCommand[];
      /** Arguments that are, or could be, paths in the workdir. */
      readonly paths: readonly TouchedPath[];
      /** What may be a path: pieces of code, letters glued to an option. */
      readonly possible: readonly TouchedPath[];
      readonly searched: readonly SearchedPlace[];
    }
  | {
      readonly kind: "paths";
      readonly paths: readonly TouchedPath[];
      /** A folder that the call's own pattern names: `kept` of `glob kept/*`. */
      readonly named?: readonly TouchedPath[];
    }
  | ({ readonly kind: "url"; readonly host: string | null } & NamedPaths)
  | ({ readonly kind: "other" } & NamedPaths);

/** Of a call that may touch more than paths: rules can stop it by these, and never allow it by them. */
interface NamedPaths {
  readonly named?: readonly TouchedPath[];
  /** What may be a path: pieces of code. */
  readonly possible?: readonly TouchedPath[];
}
