export interface ToolPlace {
  /** The content, which nobody changes. */
  readonly copy: string;
  /** Where the person has the file; it may be another content by now, or gone. */
  readonly original: string;
  /** The same content without its types; null when nobody has removed them yet, or there are none. */
  readonly stripped: string | null;
}
