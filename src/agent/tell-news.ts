import type { AgentParts } from "./agent-parts.ts";

/** What has happened beside the conversation becomes a note in it, for the next request. */
export async function tellNews({ host, session, context, tell }: AgentParts): Promise<void> {
  const text = (await host.news?.()) ?? null;
  if (text === null) return;
  session.append({ type: "remark", text });
  context.added({ role: "user", parts: [{ type: "text", text }] });
  tell("info", text);
}
