import { z } from "zod";

function buildModelObject() {
  const provider = z.strictObject({
    kind: z.enum(["anthropic", "openai-compatible", "google"]),
    base_url: z.url().optional(),
    key_variable: z.string().min(1).describe("The variable of the environment that holds the key.").optional(),
    headers: z.record(z.string(), z.string()).optional(),
  });

  return z
    .strictObject({
      name: z.string().min(1).describe("`provider/name`, or `script:FILE`."),
      base_url: z.url(),
      max_output_tokens: z.int().positive(),
      context_tokens: z
        .int()
        .positive()
        .describe("What the model can read, where nobody knows it or it is known wrongly."),
      force_first_tool: z.boolean().describe("The first reply to a task must call a tool."),
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
