/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  /** `warning`: it works, but promises less than it could; `problem`: something does not work. */
  readonly state: "ok" | "warning" | "problem";
  /** What was found, in sentences. */
  readonly what: string;
  /** What to do about it; null when nothing needs to be done. */
  readonly fix: string | null;
}

export function ok(name: string, what: string): Check {
  return { name, state: "ok", what, fix: null };
}

export function warning(name: string, what: string, fix: string): Check {
  return { name, state: "warning", what, fix };
}

export function problem(name: string, what: string, fix: string): Check {
  return { name, state: "problem", what, fix };
}
