import type { ModelFamily, ModelPrice } from "../core/model.ts";

export interface ModelFacts {
  readonly contextTokens: number | null;
  readonly maxOutputTokens: number | null;
  readonly price: ModelPrice | null;
  readonly acceptsImages: boolean;
}

/** What is known of a model by its name; nulls for what is not. `openrouter/anthropic/claude-x` is a claude-x too. */
export function modelFacts(modelName: string): ModelFacts {
  const name = bareName(modelName);
  const acceptsImages = seesImages.test(name);
  const row = table.find(([pattern]) => pattern.test(name));
  if (!row) return { contextTokens: null, maxOutputTokens: null, price: null, acceptsImages };
  const [, contextTokens, maxOutputTokens, prices] = row;
  return { contextTokens, maxOutputTokens, price: prices && priceOf(prices), acceptsImages };
}

export function modelFamily(modelName: string): ModelFamily {
  const name = bareName(modelName);
  if (name.startsWith("claude")) return "anthropic";
  if (/^(gpt-|chatgpt-|o[134](-|$)|codex)/.test(name)) return "openai";
  if (/^(gemini|gemma)/.test(name)) return "google";
  return "other";
}

function priceOf([input, output, cacheRead, cacheWrite]: PriceRow): ModelPrice {
  return { input, output, cacheRead, cacheWrite };
}

function bareName(modelName: string): string {
  return modelName.slice(modelName.lastIndexOf("/") + 1).toLowerCase();
}

const seesImages =
  /^(claude-|gpt-(4o|4\.1|4-turbo|5|6)|chatgpt-|o[134](-|$)|gemini-|gemma-?3|llama-?4|grok-4|pixtral)|vision|llava|[-.]vl\b|vl:/;

/** Input, output, read from the cache, written to it. */
type PriceRow = readonly [number, number, number, number];

/**
 * Pattern, context window, most output, price. The first that matches. Prices of the vendors' own lists in November 2026;
 * where one grows with the length of the prompt, the price of short prompts.
 */
const table: readonly (readonly [RegExp, number | null, number | null, PriceRow | null])[] = [
  [/^claude-fable-5/, 1_000_000, 128_000, [10, 50, 1, 12.5]],
  [/^claude-opus-5[.-]5/, 1_000_000, 128_000, [4, 20, 0.2, 5]],
  [/^claude-opus-5/, 1_000_000, 128_000, [5, 25, 0.5, 6.25]],
  [/^claude-sonnet-5/, 1_000_000, 128_000, [2, 10, 0.2, 2.5]],
  [/^claude-haiku-5[.-]5/, 1_000_000, 128_000, [0.1, 0.5, 0.01, 0.125]],
  [/^claude-opus-4[.-][678]/, 200_000, 128_000, [5, 25, 0.5, 6.25]],
  [/^claude-opus-4[.-]5/, 200_000, 64_000, [5, 25, 0.5, 6.25]],
  [/^claude-sonnet-4[.-]6/, 200_000, 128_000, [3, 15, 0.3, 3.75]],
  [/^claude-(sonnet-4|3[.-]7-sonnet)/, 200_000, 64_000, [3, 15, 0.3, 3.75]],
  [/^claude-haiku-4[.-]5/, 200_000, 64_000, [1, 5, 0.1, 1.25]],
  [/^claude-opus-4/, 200_000, 32_000, [15, 75, 1.5, 18.75]],
  [/^claude-3[.-]5-haiku/, 200_000, 8192, [0.8, 4, 0.08, 1]],
  [/^claude-3[.-]5-sonnet/, 200_000, 8192, [3, 15, 0.3, 3.75]],
  [/^claude-3-haiku/, 200_000, 4096, [0.25, 1.25, 0.03, 0.3]],
  [/^claude-/, 200_000, 32_000, null],
  [/^gpt-6\.1-sol$/, 1_050_000, 128_000, [2, 10, 0.1, 2]],
  [/^gpt-6-sol$/, 1_050_000, 128_000, [2, 10, 0.2, 2.5]],
  [/^gpt-6-luna$/, 1_050_000, 128_000, [0.1, 0.5, 0.01, 0.125]],
  [/^gpt-6/, 1_050_000, 128_000, null],
  [/^gpt-5\.4-mini/, 400_000, 128_000, [0.75, 4.5, 0.075, 0.75]],
  [/^gpt-5\.4($|-\d)/, 1_050_000, 128_000, [2.5, 15, 0.25, 2.5]],
  [/^gpt-5-mini/, 400_000, 128_000, [0.25, 2, 0.025, 0.25]],
  [/^gpt-5-nano/, 400_000, 128_000, [0.05, 0.4, 0.005, 0.05]],
  [/^gpt-5(\.1)?($|-\d|-codex)/, 400_000, 128_000, [1.25, 10, 0.125, 1.25]],
  [/^gpt-5/, 400_000, 128_000, null],
  [/^gpt-4\.1-nano/, 1_047_576, 32_768, [0.1, 0.4, 0.025, 0.1]],
  [/^gpt-4\.1-mini/, 1_047_576, 32_768, [0.4, 1.6, 0.1, 0.4]],
  [/^gpt-4\.1/, 1_047_576, 32_768, [2, 8, 0.5, 2]],
  [/^gpt-4o-mini/, 128_000, 16_384, [0.15, 0.6, 0.075, 0.15]],
  [/^gpt-4o/, 128_000, 16_384, [2.5, 10, 1.25, 2.5]],
  [/^gpt-oss/, 131_072, null, null],
  [/^o4-mini/, 200_000, 100_000, [1.1, 4.4, 0.275, 1.1]],
  [/^o3($|-\d)/, 200_000, 100_000, [2, 8, 0.5, 2]],
  [/^o[134]/, 200_000, 100_000, null],
  [/^gemini-2\.5-pro/, 1_048_576, 65_536, [1.25, 10, 0.125, 1.25]],
  [/^gemini-2\.5-flash-lite/, 1_048_576, 65_536, [0.1, 0.4, 0.01, 0.1]],
  [/^gemini-2\.5-flash$/, 1_048_576, 65_536, [0.3, 2.5, 0.03, 0.3]],
  [/^gemini-3-flash/, 1_048_576, 65_536, [0.5, 3, 0.05, 0.5]],
  [/^gemini-3(\.1)?-pro/, 1_048_576, 65_536, [2, 12, 0.2, 2]],
  [/^gemini-/, 1_048_576, 65_536, null],
  [/^deepseek-(chat|reasoner)/, 128_000, null, null],
];
