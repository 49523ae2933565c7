import type { Call } from "../../api/types.ts";
import type { Schema } from "./schema-form.ts";

/** As `deckhand tools --json` has it, with how it did of late. */
export interface ToolItem {
  readonly name: string;
  readonly description: string;
  readonly aliases: readonly string[];
  readonly read_only: boolean;
  readonly risk: string;
  readonly category: string;
  readonly timeout_ms: number | null;
  readonly version: string;
  readonly input_schema: Schema;
  /** Of one that comes from a file. */
  readonly file?: string;
  /** Of one that comes from an MCP server. */
  readonly server?: string;
  readonly problem?: string | null;
  /** Of the last day. */
  readonly recent_errors: number;
  readonly last_error: { readonly id: string; readonly at: string; readonly error: string | null } | null;
}

export interface ToolDetail extends ToolItem {
  readonly versions: readonly ToolVersion[];
  readonly calls: readonly Call[];
}

export interface ToolVersion {
  readonly version: string;
  /** `out`: rolled back. */
  readonly role: "stable" | "canary" | "earlier" | "out";
  readonly origin: string | null;
  readonly since: string | null;
}
