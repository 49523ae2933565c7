/** One word of a command after the shell's own quoting is taken away. */
export interface Word {
  /**
   * Quotes and escapes are resolved (`"r"m` → `rm`, `$'\x72m'` → `rm`). What depends on something that is not known stands
   * as it was written (`$X`, `$(…)`), so that a reason can show it.
   */
  readonly text: string;
  /**
   * - `literal`: `text` is exactly this one argument
   * - `glob`: has unquoted `*`, `?` or `[`: may become several arguments, all of them names of files that match
   * - `dynamic`: (partly) the value of a variable that is not known or the output of a command; may be several arguments when unquoted
   */
  readonly kind: "literal" | "glob" | "dynamic";
  /** Of a dynamic word: the known text before its first unknown part (`/etc/` of `/etc/$X`). Otherwise equal to `text`. */
  readonly prefix: string;
  /** Of a dynamic word: an unknown part stands outside quotes, so it may become several arguments, options among them, or none. */
  readonly isSplit?: boolean;
  /** Of a glob: some bracket of it was quoted, so where a class ends can't be read from `text`. */
  readonly isVague?: boolean;
}

export interface Redirect {
  /** `>&` and `<&` are followed by a descriptor, never by a file. */
  readonly operator: "<" | ">" | ">>" | ">|" | "<>" | "&>" | "&>>" | "<&" | ">&";
  readonly fd: number | null;
  readonly target: Word;
}

/** What a command finds on its stdin. */
export type Input =
  | { readonly kind: "none" }
  /** A here-document or here-string whose whole text is known, or output of echo and printf that is. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "file"; readonly path: Word }
  /** The output of other commands: a pipe or a process substitution. */
  | { readonly kind: "commands"; readonly commands: readonly SimpleCommand[] }
  /** A here-document with parts that are not known. `text` shows them as written. */
  | { readonly kind: "dynamic"; readonly text: string };

/**
 * One program that would be started (or builtin), with wrappers (`sudo`, `env`, `timeout`, …) taken off: `sudo -u x rm -rf a` is two
 * commands, `sudo` (via nothing) and `rm` (via `sudo`).
 */
export interface SimpleCommand {
  /** The last part of `words[0]`: `rm` for `/bin/rm`. Empty for bare assignments and redirects. */
  readonly name: string;
  /** The program and its arguments. */
  readonly words: readonly Word[];
  /** `NAME=value` before the program, also those that `env` sets. */
  readonly assignments: readonly { readonly name: string; readonly value: Word }[];
  readonly redirects: readonly Redirect[];
  readonly input: Input;
  /** Exactly this part of what was given. */
  readonly source: string;
  /** The wrappers around it, outermost first. */
  readonly via: readonly string[];
  /** Commands whose output becomes part of its words: `$( )`, backticks, `<( )`. */
  readonly substitutions: readonly SimpleCommand[];
}

/** Without a program: assignments and redirects are added to it. */
export const bareCommand: SimpleCommand = {
  name: "",
  words: [],
  assignments: [],
  redirects: [],
  input: { kind: "none" },
  source: "",
  via: [],
  substitutions: [],
};
