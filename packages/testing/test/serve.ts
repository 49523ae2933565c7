import type { TestContext } from "node:test";
import type { Script } from "../src/script.ts";
import { serveScript, type ScriptServer, type ServeOptions } from "../src/serve-script.ts";
import { afterTest } from "../../../test/support/after-test.ts";

/** One question in each protocol. */
export const asks = [
  ["/v1/messages", { model: "m", messages: [{ role: "user", content: "hi" }] }],
  ["/v1/chat/completions", { model: "m", messages: [{ role: "user", content: "hi" }] }],
  ["/v1/responses", { model: "m", input: "hi" }],
  ["/v1beta/models/m:generateContent", { contents: [{ role: "user", parts: [{ text: "hi" }] }] }],
] as const;

export async function serve(t: TestContext, script: Script, options: ServeOptions = {}): Promise<ScriptServer> {
  const server = await serveScript(script, options);
  afterTest(t, () => server.close());
  return server;
}

export function post(server: ScriptServer, path: string, body: unknown): Promise<Response> {
  return fetch(`${server.url}${path}`, { method: "POST", body: JSON.stringify(body) });
}

/** The same, streamed. */
export function streamedAsks(): (readonly [path: string, ask: object])[] {
  return asks.map(([path, ask]) => [
    path.replace(":g", ":streamG"),
    path.includes("beta") ? ask : { ...ask, stream: true },
  ]);
}

export function readFrames(text: string): { event: string | undefined; data: unknown }[] {
  return text
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => {
      const data = /^data: (.*)$/m.exec(frame)?.[1] ?? "";
      return { event: /^event: (.*)$/m.exec(frame)?.[1], data: data === "[DONE]" ? data : JSON.parse(data) };
    });
}

/** Without its id. */
export function strip(value: unknown): object {
  const { id: _id, ...rest } = value as { id: string };
  return rest;
}
