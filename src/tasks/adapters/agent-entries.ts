import { z } from "zod";
import type { AgentSettings } from "./agent-adapter.ts";

const asList = 'expected a list of texts, the program and its arguments, as in ["my-review", "--strict"]';

/** `agents` of `deckhand.json`: other agents, and how known ones are started here. */
export function buildAgentsSchema() {
  const texts = z.array(z.string().min(1));
  return z.record(
    z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, "expected a name of small letters, digits, - and _"),
    z
      .strictObject({
        command: z.tuple([z.string(asList).min(1, asList)], z.string(asList), asList),
        output: z.enum(["text", "json_lines", "acp"]),
        message: z.enum(["stdin", "argument"]),
        result_field: z.string().min(1),
        session_field: z.string().min(1),
        accepts_args: z.boolean(),
        install: z.string().min(1),
        env: z.record(z.string().min(1), z.string()),
        passes: texts,
        limit: z.int().min(1).max(100).describe("How many of its tasks run at once."),
        allow_bypass: z.boolean().describe("Whether a task may ask for this agent's own permission checks to be off."),
      })
      .partial(),
  );
}

export type AgentEntries = z.output<ReturnType<typeof buildAgentsSchema>>;

/** As the adapters take them. */
export function agentSettingsOf(entries: AgentEntries): Record<string, AgentSettings> {
  return Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => {
      const { result_field: resultField, session_field: sessionField, accepts_args: acceptsArgs, ...rest } = entry;
      const { command, output, message, install, env, passes } = rest;
      const settings = { command, output, message, install, env, passes, resultField, sessionField, acceptsArgs };
      return [name, Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))];
    }),
  );
}
