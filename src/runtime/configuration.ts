import { z } from "zod";
import { RuntimeError } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";
import { defaultLimits, type EngineLimits } from "../engine/time-limits.ts";

export type SandboxSetting = "auto" | "require" | "off";
export type StoreKind = "sqlite" | "memory";

/** All settings, complete: inside the runtime nobody asks for a default. */
export interface Configuration {
  readonly limits: EngineLimits & { readonly maxOutputBytes: number };
  readonly sandbox: SandboxSetting;
  readonly store: { readonly kind: StoreKind };
}

export const defaultConfiguration: Configuration = {
  limits: { ...defaultLimits, maxOutputBytes: 64 * 1024 * 1024 },
  sandbox: "auto",
  store: { kind: "sqlite" },
};

const milliseconds = z.int().positive();

/** `deckhand.json`, as people write it. */
export const settingsSchema = z.strictObject({
  $schema: z.string().optional(),
  limits: z
    .strictObject({
      max_parallel: z.int().min(1).max(12),
      max_retry: z.int().min(0),
      default_timeout_ms: milliseconds,
      max_timeout_ms: milliseconds,
      max_output_bytes: z.int().min(1024),
      timeout_ms: z.record(z.string(), milliseconds),
      idle_ms: z.record(z.string(), milliseconds),
    })
    .partial()
    .optional(),
  sandbox: z.enum(["auto", "require", "off"]).optional(),
  store: z
    .strictObject({ kind: z.enum(["sqlite", "memory"]) })
    .partial()
    .optional(),
});

export type Settings = z.output<typeof settingsSchema>;

/** Throws CONFIG_INVALID with one sentence that names the key, what was expected and what came. */
export function parseSettings(value: unknown, source: string): Settings {
  const parsed = settingsSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new RuntimeError("CONFIG_INVALID", `${source}: ${parsed.error.issues.map(tellIssue).join("; ")}.`);
}

/** Later settings win over earlier ones. */
export function applySettings(base: Configuration, settings: Settings): Configuration {
  const { limits = {}, sandbox, store } = settings;
  return {
    limits: {
      maxParallel: limits.max_parallel ?? base.limits.maxParallel,
      maxRetry: limits.max_retry ?? base.limits.maxRetry,
      defaultTimeoutMs: limits.default_timeout_ms ?? base.limits.defaultTimeoutMs,
      maxTimeoutMs: limits.max_timeout_ms ?? base.limits.maxTimeoutMs,
      maxOutputBytes: limits.max_output_bytes ?? base.limits.maxOutputBytes,
      timeoutMs: { ...base.limits.timeoutMs, ...limits.timeout_ms },
      idleMs: { ...base.limits.idleMs, ...limits.idle_ms },
    },
    sandbox: sandbox ?? base.sandbox,
    store: { kind: store?.kind ?? base.store.kind },
  };
}

function tellIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.join(".");
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
  let schema: z.ZodType = settingsSchema;
  for (const step of path) {
    const shape = shapeOf(schema);
    schema = shape?.[String(step)] ?? schema;
  }
  return Object.keys(shapeOf(schema) ?? {});
}

function shapeOf(schema: z.ZodType): Record<string, z.ZodType> | undefined {
  const plain = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
  return plain instanceof z.ZodObject ? plain.shape : undefined;
}
