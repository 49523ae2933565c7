import type { ToolVersion } from "../custom-tool.ts";

/** Who made a content: what an agent wrote, and a person approved, is not what the person wrote. */
export type Author = "person" | "agent";

/** Which contents of a tool calls take, where that is not simply what its file has. */
export interface Releases {
  /** Before it resolves nothing is known of what was decided in other processes. */
  ready(): Promise<void>;
  /** Another number whenever another answer may be given to the questions below; asked before every call. */
  revision(): number;
  /** Whether this content of the file was not told of before. */
  isNew(version: ToolVersion): boolean;
  /** Resolves when it is decided what becomes of it. Never rejects. */
  introduce(version: ToolVersion, author: Author): Promise<void>;
  /** By their hashes; null when nothing was decided: then it is what the file has. */
  inUse(toolName: string): ContentsInUse | null;
}

export interface ContentsInUse {
  /** The file whose contents they are. */
  readonly fileName: string;
  readonly stable: string;
  /** Being tried; null when none is. */
  readonly canary: string | null;
  /** These were rolled back, and are not used. */
  readonly out: readonly string[];
  /** A person said that nothing but the stable one is used. */
  readonly isPinned: boolean;
}
