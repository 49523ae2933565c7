export interface ToolPlace {
  /** The content, which nobody changes. */
  readonly copy: string;
  /** Where the person has the file; it may be another content by now, or gone. */
  readonly original: string;
}
