import { z } from "zod";

const milliseconds = z.int().min(0).max(86_400_000);
const tokens = z.int().min(0);
const texts = z.union([z.string(), z.array(z.string())], { error: "expected a text or a list of texts" });
const dollars = z.number().min(0);

const call = {
  tool: z.string().min(1),
  input: z.unknown().optional(),
  input_text: z.string().optional(),
  id: z.string().min(1).optional(),
  pause_ms: milliseconds.optional(),
};

const part = z.strictObject({
  text: z.string().optional(),
  thinking: z.string().optional(),
  signature: z.string().min(1).optional(),
  ...call,
  tool: call.tool.optional(),
});

const failure = z.strictObject({
  kind: z
    .enum(["key", "unknown_model", "unreachable", "rate_limit", "overloaded", "server", "cut", "window", "rejected"])
    .optional(),
  status: z.int().min(400).max(599).optional(),
  retry_after_ms: milliseconds.optional(),
  message: z.string().optional(),
  after: z.int().min(0).optional(),
  times: z
    .union([z.int().min(1).max(1000), z.literal("always")], { error: 'expected 1 to 1000, or "always"' })
    .optional(),
});

const expectedResult = z.strictObject({
  tool: z.string().optional(),
  contains: texts.optional(),
  is_error: z.boolean().optional(),
});

const turn = z.strictObject({
  thinking: z.string().optional(),
  text: z.string().optional(),
  calls: z.array(z.strictObject(call)).optional(),
  parts: z.array(part).optional(),
  usage: z
    .strictObject({
      input_tokens: tokens,
      output_tokens: tokens,
      cache_read_tokens: tokens,
      cache_write_tokens: tokens,
    })
    .partial()
    .optional(),
  stop: z.enum(["end", "calls", "length", "refused", "other"]).optional(),
  delay_ms: milliseconds.optional(),
  piece_ms: milliseconds.optional(),
  fail: failure.optional(),
  cut: z.boolean().optional(),
  expect: z
    .strictObject({
      contains: texts.optional(),
      tool_result: z
        .union([texts, expectedResult], { error: "expected a text, a list of texts, or {tool, contains, is_error}" })
        .optional(),
    })
    .optional(),
  times: z.int().min(1).max(1000).optional(),
});

/** A script, as people write it. What a schema can't say is in `check-script.ts`. */
export const scriptSchema = z.strictObject({
  $schema: z.string().optional(),
  model: z
    .strictObject({
      context_tokens: z.int().positive(),
      max_output_tokens: z.int().positive(),
      price: z.strictObject({ input: dollars, output: dollars, cache_read: dollars, cache_write: dollars }).partial(),
      accepts_images: z.boolean(),
    })
    .partial()
    .optional(),
  order: z.enum(["replies", "requests"]).optional(),
  at_end: z.enum(["fail", "loop", "repeat_last"]).optional(),
  delay_ms: milliseconds.optional(),
  piece_ms: milliseconds.optional(),
  without_tools: z.string().optional(),
  turns: z.array(z.preprocess(spellOut, turn)).min(1),
});

export const turnKeys: ReadonlySet<string> = new Set(Object.keys(turn.shape));

function spellOut(value: unknown): unknown {
  return typeof value === "string" ? { text: value } : value;
}
