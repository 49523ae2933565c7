import { z } from "zod";

function buildModelObject() {
  const provider = z.strictObject({
    kind: z.enum(["anthropic", "openai-compatible", "google"]),
    base_url: z.url().optional(),
    /** The variable of the environment that holds the key. */
    key_variable: z.string().min(1).optional(),
    headers: z.record(z.string(), z.string()).optional(),
  });

  return z
    .strictObject({
      /** `provider/name`, or `script:FILE`. */
      name: z.string().min(1),
      base_url: z.url(),
      max_output_tokens: z.int().positive(),
      /** What the model can read, where nobody knows it or it is known wrongly. */
      context_tokens: z.int().positive(),
      /** The first reply to a task must call a tool. */
      force_first_tool: z.boolean(),
      providers: z.record(z.string(), provider),
    })
    .partial();
}

/** `"model": "anthropic/…"` is short for `"model": {"name": "anthropic/…"}`. */
export function buildModelSchema() {
  return z.union([z.string().min(1), buildModelObject()]);
}

export type ModelSetting = z.output<ReturnType<typeof buildModelObject>>;

export function modelSettingOf(model: z.output<ReturnType<typeof buildModelSchema>> | undefined): ModelSetting {
  return typeof model === "string" ? { name: model } : (model ?? {});
}
