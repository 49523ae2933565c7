/** Tool files of a small shop. Each version of one is a text of its own. */
export const sampleTools = {
  wordCount: (version: 1 | 2): string => `// Counts words.
export const TOOL_SPEC = {
  name: "word_count",
  description: "Count the words of a text.",
  input_schema: {
    type: "object",
    properties: { text: { type: "string", description: "Any text" } },
    required: ["text"],
  },
  traits: { idempotent: true, risk: "low" },
};

export const run = async (input) => {
  await new Promise((resolve) => setTimeout(resolve, ${version === 1 ? "4 + (input.text.length % 7)" : "2 + (input.text.length % 5)"}));
  const words = input.text.${version === 1 ? 'split(" ")' : "trim().split(/\\s+/)"}.filter((word) => word !== "");
  return { ok: true, output: String(words.length) };
};
`,
  priceQuote: (version: 1 | 2): string => `// Says what an order costs.
export const TOOL_SPEC = {
  name: "price_quote",
  description: "Say what so many pieces of an article cost, with the discount for many.",
  input_schema: {
    type: "object",
    properties: { article: { type: "string" }, pieces: { type: "integer", minimum: 1 } },
    required: ["article", "pieces"],
  },
  traits: { idempotent: false, risk: "low" },
};

export const run = async ({ article, pieces }) => {
  await new Promise((resolve) => setTimeout(resolve, 3 + (pieces % 9)));
  if (pieces % 89 === 7) throw new Error("The price list has no " + article + ".");
${version === 1 ? "" : '  if (pieces % 61 === 5) throw new Error("No discount is known for " + pieces + " pieces.");\n'}  const discount = ${version === 1 ? "pieces >= 100 ? 0.1 : 0" : "Math.min(0.25, Math.floor(pieces / 50) * 0.05)"};
  return { ok: true, output: article + ": " + (pieces * 4.2 * (1 - discount)).toFixed(2) };
};
`,
  findOrders: `// Finds orders of the shop.
export const TOOL_SPEC = {
  name: "find_orders",
  description: "Find orders of the shop by customer, state and date.",
  input_schema: {
    type: "object",
    properties: {
      customer: { type: "string", description: "Name, or a part of it" },
      state: { type: "string", enum: ["open", "paid", "sent"], description: "Left out: all of them" },
      limit: { type: "integer", minimum: 1, maximum: 100, default: 10 },
      above: { type: "number", description: "Only orders above this sum" },
      express: { type: "boolean", description: "Only those that must be sent today" },
      articles: { type: "array", items: { type: "string" }, description: "Any of these" },
      between: {
        type: "object",
        properties: { from: { type: "string" }, to: { type: "string" } },
        required: ["from"],
        description: "Days, as 2026-01-31",
      },
      sort: { description: "Any JSON: a field, or a list of them" },
    },
    required: ["customer"],
  },
  traits: { read_only: true },
};

export const run = async (input) => ({ ok: true, output: "You asked for " + JSON.stringify(input) });
`,
} as const;
