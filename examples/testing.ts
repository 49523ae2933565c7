// Testing an agent without a key: the script is served over HTTP in the vendors' protocols, to any program that speaks one.
// Here a hand-written loop of 20 lines stands for your agent. Needs `npm run build` once; then: node examples/testing.ts
import assert from "node:assert/strict";
import { serveScript } from "deckhand/testing";

const server = await serveScript({
  turns: [
    { text: "Let me see.", calls: [{ tool: "weather", input: { city: "Busan" } }] },
    { text: "In Busan: {{last_result}}", expect: { toolResult: "rain" } },
  ],
});

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly input?: { readonly city: string };
}

/** As your agent would talk to Anthropic; only the address is another one. */
async function askAgent(prompt: string): Promise<string> {
  const messages: unknown[] = [{ role: "user", content: prompt }];
  for (;;) {
    const response = await fetch(`${server.url}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": "any", "anthropic-version": "2023-06-01" },
      body: JSON.stringify({ model: "any", max_tokens: 1000, messages, tools: [weather] }),
    });
    const { content } = (await response.json()) as { content: readonly Block[] };
    const calls = content.filter(({ type }) => type === "tool_use");
    if (calls.length === 0) return content.map(({ text }) => text ?? "").join("");
    const results = calls.map(({ id, input }) => ({
      type: "tool_result",
      tool_use_id: id,
      content: `rain in ${input?.city}`,
    }));
    messages.push({ role: "assistant", content }, { role: "user", content: results });
  }
}

const weather = {
  name: "weather",
  description: "The weather in a city.",
  input_schema: { type: "object", properties: { city: { type: "string" } } },
};

const answer = await askAgent("How is the weather in Busan?");
console.log(answer);
const [first, second] = server.requests;
await server.close();

assert.equal(answer, "In Busan: rain in Busan");
assert.deepEqual([first?.protocol, first?.tools], ["anthropic", ["weather"]]);
assert.equal(server.requests.length, 2);
assert.equal(second?.messages.at(-1)?.role, "tool");
