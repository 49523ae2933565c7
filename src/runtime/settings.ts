import { z } from "zod";
import { RuntimeError } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";
import { permissionModes } from "../gate/mode.ts";
import { buildAgentsSchema } from "./agent-entries.ts";
import { buildMcpSchema } from "./mcp-settings.ts";
import { buildModelSchema } from "./model-settings.ts";
import { buildRolloutSchema } from "./rollout-settings.ts";
import { buildScheduleSchema } from "./schedule-settings.ts";

/** `deckhand.json`, as people write it. Built on first use: without a file and variables there is nothing to check. */
function buildSchema() {
  const milliseconds = z.int().positive();
  const days = z.number().positive();
  const texts = z.array(z.string().min(1));
  const sandboxMode = z.enum(["auto", "require", "off"]);

  const hook = z.strictObject({
    /** Names or aliases, `*` at the end for any rest; left out: every tool. */
    tools: texts.optional(),
    /** A program with its arguments; gets the call as JSON on stdin. */
    command: z.tuple([z.string().min(1)], z.string()).optional(),
    /** A JavaScript or TypeScript file, relative to the workdir; its exported `before` or `after` is called. */
    module: z.string().min(1).optional(),
    timeout_ms: milliseconds.optional(),
  });

  return z.strictObject({
    $schema: z.string().optional(),
    model: buildModelSchema().optional(),
    limits: z
      .strictObject({
        max_parallel: z.int().min(1).max(12),
        max_retry: z.int().min(0),
        default_timeout_ms: milliseconds,
        max_timeout_ms: milliseconds,
        max_output_bytes: z.int().min(1024),
        timeout_ms: z.record(z.string(), milliseconds),
        idle_ms: z.record(z.string(), milliseconds),
        /** Of an agent: requests to the model for one prompt. */
        max_turns: z.int().positive(),
        /** US dollars for one prompt. */
        max_cost: z.number().positive(),
        max_context_tokens: z.int().min(1000),
        /** How much of one tool's output the model gets. */
        max_result_characters: z.int().min(500),
        /** Background tasks of one agent at once. */
        max_agents: z.int().min(1).max(100),
        /** For background tasks that do not say how long they may take. */
        task_timeout_ms: milliseconds.max(24 * 60 * 60_000),
      })
      .partial()
      .optional(),
    permissions: z
      .strictObject({
        mode: z.enum(permissionModes),
        deny: texts,
        ask: texts,
        allow: texts,
        /** What becomes of a question that nobody is there to answer. */
        unattended: z.enum(["refuse", "inbox"]),
        strict_workdir_only: z.boolean(),
      })
      .partial()
      .optional(),
    tools: z
      .strictObject({
        /** Where tool files lie; relative to the workdir. */
        folder: z.string().min(1),
        disabled: texts,
        /** Further variables of the environment that child processes get. */
        environment: texts,
        web: z
          .strictObject({
            /** Hosts that web_fetch may reach although they are private: `wiki.corp`, `localhost:3000`. */
            allow_hosts: texts,
            /** All of loopback and the private networks; never link-local and metadata addresses. */
            allow_private: z.boolean(),
            /** Where the environment names a proxy, which resolves names itself: whether it is trusted to check them. */
            proxy: z.enum(["refuse", "trust"]),
            timeout_ms: milliseconds.max(600_000),
            max_bytes: z
              .int()
              .min(1024)
              .max(64 * 1024 * 1024),
            search: z.strictObject({ searxng_url: z.url({ protocol: /^https?$/ }) }).partial(),
          })
          .partial(),
      })
      .partial()
      .optional(),
    hooks: z
      .strictObject({ before: z.array(hook), after: z.array(hook) })
      .partial()
      .optional(),
    sandbox: z
      .union([
        sandboxMode,
        z
          .strictObject({
            mode: sandboxMode,
            /** `auto`: off where nobody is asked (mode auto, strict), on elsewhere. */
            network: z.enum(["auto", "on", "off"]),
            writable: texts,
            hidden: texts,
          })
          .partial(),
      ])
      .optional(),
    mcpServers: buildMcpSchema().optional(),
    agents: buildAgentsSchema().optional(),
    rollout: buildRolloutSchema().optional(),
    schedule: buildScheduleSchema().optional(),
    store: z
      .strictObject({
        kind: z.enum(["sqlite", "memory"]),
        /** A PostgreSQL database that several machines share: tasks, jobs with their runs, the inbox. */
        url: z.string().regex(/^postgres(?:ql)?:\/\//, "expected an address that begins with postgres://"),
      })
      .partial()
      .optional(),
    log: z
      .strictObject({
        audit: z.boolean(),
        workflow: z.boolean(),
        /** What becomes of a call whose log line can't be written. */
        on_failure: z.enum(["refuse", "continue"]),
        fsync: z.enum(["never", "interval", "always"]),
        max_bytes: z.int().min(64 * 1024),
      })
      .partial()
      .optional(),
    retention: z
      .strictObject({
        executions_days: days,
        outputs_days: days,
        outputs_max_bytes: z.int().positive(),
        log_days: days.nullable(),
        /** How long background tasks are kept after they have ended. */
        tasks_minutes: z.number().positive(),
      })
      .partial()
      .optional(),
  });
}

let built: ReturnType<typeof buildSchema> | undefined;

function settingsSchema(): ReturnType<typeof buildSchema> {
  return (built ??= buildSchema());
}

export type Settings = z.output<ReturnType<typeof buildSchema>>;
export type HookSetting = NonNullable<NonNullable<Settings["hooks"]>["before"]>[number];

/** Throws CONFIG_INVALID with one sentence that names the key, what was expected and what came. */
export function parseSettings(value: unknown, source: string): Settings {
  if (saysNothing(value)) return {};
  const parsed = settingsSchema().safeParse(value);
  if (!parsed.success) {
    throw new RuntimeError("CONFIG_INVALID", `${source}: ${parsed.error.issues.map(tellIssue).join("; ")}.`);
  }
  for (const each of [...(parsed.data.hooks?.before ?? []), ...(parsed.data.hooks?.after ?? [])]) {
    if ((each.command === undefined) === (each.module === undefined)) {
      throw new RuntimeError("CONFIG_INVALID", `${source}: a hook has either "command" or "module".`);
    }
  }
  return parsed.data;
}

function saysNothing(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

function tellIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.join(".");
  if (issue.code === "invalid_key") return `${path}: ${issue.issues.map(({ message }) => message).join("; ")}`;
  if (issue.code !== "unrecognized_keys") return `${path || "the whole file"}: ${issue.message}`;
  return issue.keys
    .map((key) => {
      const [meant] = nearest(key, knownKeys(issue.path), 1);
      const name = path ? `${path}.${key}` : key;
      return `"${name}" is not a setting${meant === undefined ? "" : `; did you mean "${meant}"?`}`;
    })
    .join("; ");
}

function knownKeys(path: readonly PropertyKey[]): string[] {
  let schema: z.ZodType = settingsSchema();
  for (const step of path) {
    const plain = plainOf(schema);
    if (plain instanceof z.ZodRecord) schema = plain.valueType as z.ZodType;
    else schema = shapeOf(plain)?.[String(step)] ?? schema;
  }
  return Object.keys(shapeOf(schema) ?? {});
}

function shapeOf(schema: z.ZodType): Record<string, z.ZodType> | undefined {
  const plain = plainOf(schema);
  return plain instanceof z.ZodObject ? plain.shape : undefined;
}

function plainOf(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
}
