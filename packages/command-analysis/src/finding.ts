/** Something that keeps a command from being called safe. */
export interface Finding {
  /** `unknown`: nobody can say what it would do; treated as danger by everyone who asks. */
  readonly verdict: "danger" | "unknown";
  /** Which rule found it, as `family.what`: `delete.recursive`, `git.force-push`, `shell.dynamic-name`. */
  readonly rule: string;
  /** One sentence for a person: what this would do. */
  readonly reason: string;
  /** The exact sub-command. */
  readonly command: string;
}

export type Verdict = "safe" | "danger" | "unknown";
