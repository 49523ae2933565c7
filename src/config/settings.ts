import { z } from "zod";
import { RuntimeError } from "../core/errors.ts";
import { permissionModes } from "../core/permission.ts";
import { nearest } from "../core/text.ts";
import { buildAgentsSchema } from "../tasks/adapters/agent-entries.ts";
import { buildMcpSchema } from "./mcp-settings.ts";
import { buildModelSchema } from "./model-settings.ts";
import { buildRolloutSchema } from "./rollout-settings.ts";
import { buildScheduleSchema, buildScopeSchema } from "./schedule-settings.ts";

const buildMilliseconds = () => z.int().positive();
const buildTexts = () => z.array(z.string().min(1));

function buildHook() {
  return z.strictObject({
    tools: buildTexts().describe("Names or aliases, `*` at the end for any rest; left out: every tool.").optional(),
    command: z
      .tuple([z.string().min(1)], z.string())
      .describe("A program with its arguments; gets the call as JSON on stdin.")
      .optional(),
    module: z
      .string()
      .min(1)
      .describe("A JavaScript or TypeScript file, relative to the workdir; its exported `before` or `after` is called.")
      .optional(),
    timeout_ms: buildMilliseconds().optional(),
  });
}

const sandboxModes = ["auto", "require", "off"] as const;

/** `deckhand.json`, as people write it. A section is built when it is used: all of them take 20 ms, and most files have few. */
const sections = {
  $schema: () => z.string(),
  model: () => buildModelSchema().describe("The model: its name, or more said."),
  limits: () =>
    z
      .strictObject({
        max_parallel: z.int().min(1).max(12),
        max_retry: z.int().min(0),
        default_timeout_ms: buildMilliseconds(),
        max_timeout_ms: buildMilliseconds(),
        max_output_bytes: z.int().min(1024),
        timeout_ms: z.record(z.string(), buildMilliseconds()),
        idle_ms: z.record(z.string(), buildMilliseconds()),
        max_turns: z.int().positive().describe("Of an agent: requests to the model for one prompt."),
        max_cost: z.number().positive().describe("US dollars for one prompt."),
        max_context_tokens: z.int().min(1000),
        max_result_characters: z.int().min(500).describe("How much of one tool's output the model gets."),
        max_task_output_bytes: z
          .int()
          .min(64 * 1024)
          .describe("A background task that prints more is stopped, and the rest of its output is cut."),
        max_background_log_bytes: z
          .int()
          .min(256 * 1024)
          .describe("How much of the output of one background process is kept on disk; what is older is cut."),
        max_agents: z.int().min(1).max(100).describe("Background tasks of one agent at once."),
        task_timeout_ms: buildMilliseconds()
          .max(24 * 60 * 60_000)
          .describe("For background tasks that do not say how long they may take."),
      })
      .partial()
      .describe("How much, how long and how many at once."),
  permissions: () =>
    z
      .strictObject({
        mode: z.enum(permissionModes),
        deny: buildTexts(),
        ask: buildTexts(),
        allow: buildTexts(),
        unattended: z.enum(["refuse", "inbox"]).describe("What becomes of a question that nobody is there to answer."),
        strict_workdir_only: z.boolean(),
        tasks_outside_workspace: z
          .boolean()
          .describe(
            "Over MCP, and with a token that may only run: whether tasks may name a folder outside the workspace.",
          ),
      })
      .partial()
      .describe("What runs unasked, what is asked, what never runs."),
  tools: () =>
    z
      .strictObject({
        folder: z.string().min(1).describe("Where tool files lie; relative to the workdir."),
        disabled: buildTexts(),
        environment: buildTexts().describe("Further variables of the environment that child processes get."),
        web: z
          .strictObject({
            allow_hosts: buildTexts().describe(
              "Hosts that web_fetch may reach although they are private: `wiki.corp`, `localhost:3000`.",
            ),
            allow_private: z
              .boolean()
              .describe("All of loopback and the private networks; never link-local and metadata addresses."),
            proxy: z
              .enum(["refuse", "trust"])
              .describe(
                "Where the environment names a proxy, which resolves names itself: whether it is trusted to check them.",
              ),
            timeout_ms: buildMilliseconds().max(600_000),
            max_bytes: z
              .int()
              .min(1024)
              .max(64 * 1024 * 1024),
            search: z.strictObject({ searxng_url: z.url({ protocol: /^https?$/ }) }).partial(),
          })
          .partial(),
      })
      .partial()
      .describe("Which tools there are, and what they may reach."),
  hooks: () =>
    z
      .strictObject({ before: z.array(buildHook()), after: z.array(buildHook()) })
      .partial()
      .describe("Programs and modules that see each call before it runs, or after."),
  sandbox: () =>
    z
      .union([
        z.enum(sandboxModes),
        z
          .strictObject({
            mode: z.enum(sandboxModes),
            network: z
              .enum(["auto", "on", "off"])
              .describe("`auto`: off where nobody is asked (mode auto, strict), on elsewhere."),
            writable: buildTexts(),
            hidden: buildTexts(),
            visible: buildTexts().describe(
              "Files of keys and tokens that commands may read all the same, such as `~/.npmrc` for a private registry.",
            ),
          })
          .partial(),
      ])
      .describe("What the OS keeps commands from: a mode, or more said."),
  mcpServers: () => buildMcpSchema().describe("MCP servers whose tools join the catalog."),
  agents: () => buildAgentsSchema().describe("Background agents: others, and how known ones are started here."),
  rollout: () => buildRolloutSchema().describe("How new versions of tool files prove themselves."),
  schedule: () => buildScheduleSchema().describe("How much runs at once, and what jobs have that do not say."),
  store: () =>
    z
      .strictObject({
        kind: z.enum(["sqlite", "memory"]),
        url: z
          .string()
          .regex(/^postgres(?:ql)?:\/\//, "expected an address that begins with postgres://")
          .describe("A PostgreSQL database that several machines share: tasks, jobs with their runs, the inbox."),
        scope: buildScopeSchema().describe(
          "The project's name in a database that several share (default: the path of the workdir).",
        ),
      })
      .partial()
      .describe("Where records are kept."),
  log: () =>
    z
      .strictObject({
        audit: z.boolean(),
        workflow: z.boolean(),
        on_failure: z.enum(["refuse", "continue"]).describe("What becomes of a call whose log line can't be written."),
        fsync: z.enum(["never", "interval", "always"]),
        max_bytes: z.int().min(64 * 1024),
      })
      .partial()
      .describe("The log that is evidence."),
  retention: () =>
    z
      .strictObject({
        executions_days: z.number().positive(),
        outputs_days: z.number().positive(),
        outputs_max_bytes: z.int().positive(),
        log_days: z.number().positive().nullable(),
        tasks_minutes: z.number().positive().describe("How long background tasks are kept after they have ended."),
      })
      .partial()
      .describe("How long things are kept."),
};

type Sections = typeof sections;
type SectionName = keyof Sections;

const built = new Map<SectionName, z.ZodType>();

function sectionOf(name: SectionName): z.ZodType {
  const schema = built.get(name) ?? sections[name]();
  built.set(name, schema);
  return schema;
}

/** Of those of the names that are sections; any other is refused. */
function settingsSchema(names: readonly string[]) {
  const known = names.filter((name): name is SectionName => Object.hasOwn(sections, name));
  return z.strictObject(Object.fromEntries(known.map((name) => [name, sectionOf(name).optional()])));
}

/** For editors, which complete and check by it. What only code can check is not in it. */
export function describeSettings(): object {
  const schema = z.toJSONSchema(settingsSchema(Object.keys(sections)), {
    io: "input",
    unrepresentable: "any",
    target: "draft-7",
  });
  return { ...schema, title: "deckhand.json", description: "Settings of Deckhand." };
}

export type Settings = { [Name in SectionName]?: z.output<ReturnType<Sections[Name]>> | undefined };
export type HookSetting = NonNullable<NonNullable<Settings["hooks"]>["before"]>[number];

/** Throws CONFIG_INVALID with one sentence that names the key, what was expected and what came. */
export function parseSettings(value: unknown, source: string): Settings {
  if (saysNothing(value)) return {};
  const parsed = settingsSchema(Object.keys(Object(value) as object)).safeParse(value);
  if (!parsed.success) {
    const told = parsed.error.issues.map(tellIssue).join("; ");
    throw new RuntimeError("CONFIG_INVALID", `${source}: ${/[.?]$/.test(told) ? told : `${told}.`}`);
  }
  const settings = parsed.data as Settings;
  for (const each of [...(settings.hooks?.before ?? []), ...(settings.hooks?.after ?? [])]) {
    if ((each.command === undefined) === (each.module === undefined)) {
      throw new RuntimeError("CONFIG_INVALID", `${source}: a hook has either "command" or "module".`);
    }
  }
  return settings;
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
  let schema: z.ZodType = settingsSchema(Object.keys(sections));
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
