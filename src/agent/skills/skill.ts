/** Instructions for one kind of task, kept in a folder as `SKILL.md`. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  /** Null: all tools. Otherwise only these, by canonical name. It only ever narrows what is allowed. */
  readonly allowedTools: readonly AllowedTool[] | null;
  /** Where its `SKILL.md` is. */
  readonly path: string;
  /** A project's file is not followed to elsewhere when it is a link. */
  readonly source: "person" | "project";
}

/** `bash`, or `bash(git *)`: then only calls that such a rule fits. */
export interface AllowedTool {
  readonly tool: string;
  /** As it was written, with the canonical name; null for every call of the tool. */
  readonly rule: string | null;
}
