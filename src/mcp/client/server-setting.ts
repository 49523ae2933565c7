import { createHash } from "node:crypto";

/** A server as it was configured, under the name that its tools carry. */
export interface McpServerSetting {
  readonly name: string;
  readonly transport: McpTransport;
  /** Of one call; null: the runtime's default. */
  readonly timeoutMs: number | null;
  /** From the start of the program to its list of tools. */
  readonly startTimeoutMs: number;
  /** The person believes what this server says of its tools: `readOnlyHint` lets a call run without a question. */
  readonly trustsAnnotations: boolean;
  /** Only these of its tools, by the server's own names; null: all. */
  readonly only: readonly string[] | null;
}

export type McpTransport = StdioTransport | HttpTransport;

export interface StdioTransport {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Relative to the workdir; null: the workdir itself. */
  readonly cwd: string | null;
}

export interface HttpTransport {
  /** `sse`: the transport of 2024-11-05, with one stream for all answers. */
  readonly kind: "http" | "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The setting as it is written: variables stand in it by name, so nothing secret goes in that was not in the file. */
export function serverKey({ name, transport }: Pick<McpServerSetting, "name" | "transport">): string {
  return createHash("sha256")
    .update(JSON.stringify([name, transport]))
    .digest("hex")
    .slice(0, 32);
}

/** How a person recognises it. Arguments, variables and headers may hold secrets, so they are not part of it. */
export function describeTransport(transport: McpTransport): string {
  if (transport.kind === "stdio") return transport.command;
  const url = URL.parse(transport.url);
  return url === null ? "a URL that is not valid" : url.origin + url.pathname;
}
