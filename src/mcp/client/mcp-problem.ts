/**
 * Why something between us and a server went wrong.
 * - `unavailable`: it could not be started or reached; nothing was asked of it
 * - `lost`: it was gone before it answered; whether it did anything is not known
 * - `expired`: it no longer knows us, and did not look at the request
 * - `refused`: it answered with an error
 * - `protocol`: what it said is not MCP
 */
export type McpProblemKind = "unavailable" | "lost" | "expired" | "refused" | "protocol";

/** The message is one sentence that follows on the server's name: `ended with exit code 1.` */
export class McpProblem extends Error {
  override readonly name = "McpProblem";
  readonly kind: McpProblemKind;
  constructor(kind: McpProblemKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
