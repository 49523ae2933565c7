import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import type { TestContext } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import type { ToolResult } from "../../src/core/tool.ts";
import type { Connect } from "../../src/guard/url/connect.ts";
import { createWebFetchTool, type WebFetchParts } from "../../src/tools/web/web-fetch.ts";
import { contextIn, runTool, type Failed } from "./run-tool.ts";
import { openServer } from "./web-server.ts";

export const settings: WebFetchParts["settings"] = {
  allowHosts: [],
  allowPrivate: false,
  proxy: "refuse",
  timeoutMs: 20_000,
  maxBytes: 5 * 1024 * 1024,
  searxngUrl: null,
};

export interface SmallWeb {
  readonly requests: string[];
  readonly connected: string[];
  fetch(input: object, parts?: Partial<WebFetchParts>, signal?: AbortSignal): Promise<ToolResult>;
}

/** Every name leads to a public address, and every connection to one real server on this machine. */
export async function openSmallWeb(
  t: TestContext,
  serve: RequestListener,
  addresses: string[][] = [],
): Promise<SmallWeb> {
  const server = await openServer(t, serve);
  const connected: string[] = [];
  const answers = [...addresses];
  const connect: Connect = async ({ address, port }) => {
    connected.push(`${address}:${port}`);
    return { stream: await server.connect(), remoteAddress: address };
  };
  const parts: WebFetchParts = {
    settings,
    env: {},
    clock: systemClock,
    connect,
    resolve: () => Promise.resolve(answers.shift() ?? ["93.184.215.14"]),
  };
  const tools = new Map<unknown, ReturnType<typeof createWebFetchTool>>();
  return {
    requests: server.requests,
    connected,
    fetch(input, more, signal) {
      if (!tools.has(more)) tools.set(more, createWebFetchTool({ ...parts, ...more }));
      return runTool(tools.get(more)!, input, contextIn("/", signal));
    },
  };
}

export function outputOf(result: ToolResult): string {
  assert(result.ok, JSON.stringify(result));
  return result.output;
}

export function failed(result: ToolResult): Failed {
  assert(!result.ok, JSON.stringify(result));
  assert.match(result.error, /^\S[^\n]*\.$/);
  return result;
}
