/** One entry of `agents` in the settings: another agent, or how a known one is started here. */
export interface AgentSettings {
  /**
   * The program and its first arguments. `{model}`, `{session}` and `{system_prompt}` in them are filled in; an argument
   * whose value the task does not give is left out. Left out altogether: a known agent's own program.
   */
  readonly command?: readonly [string, ...string[]];
  /** How it is spoken to and read. Left out: as the known agent of this name is. */
  readonly output?: "text" | "json_lines" | "acp";
  /** Where the message goes: `stdin` when left out. */
  readonly message?: "stdin" | "argument";
  /** `json_lines`: where the answer and the session's id lie in a line, as in `result.text`. */
  readonly resultField?: string;
  readonly sessionField?: string;
  /** Whether whoever orders a task may add arguments: nobody knows what they mean. */
  readonly acceptsArgs?: boolean;
  /** How to get it. */
  readonly install?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Names of variables of the person's environment that it gets beside the usual ones. */
  readonly passes?: readonly string[];
}
