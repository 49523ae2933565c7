// What an agent costs at least: a loop by hand over the same protocol, with two tools, that tracks, checks and keeps nothing.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";

const object = (name) => ({ type: "object", properties: { [name]: { type: "string" } }, required: [name] });
const tools = [
  { name: "read", description: "Read a file", input_schema: object("file_path") },
  { name: "bash", description: "Run a command", input_schema: object("command") },
];
const run = {
  read: ({ file_path }) => readFile(file_path, "utf8"),
  bash: ({ command }) =>
    new Promise((resolve) => execFile("bash", ["-c", command], (_, out, errors) => resolve(out + errors))),
};

async function request(messages) {
  const body = JSON.stringify({ model: "claude-sonnet-5", max_tokens: 8192, stream: true, tools, messages });
  const headers = { "content-type": "application/json", "x-api-key": "none", "anthropic-version": "2023-06-01" };
  return fetch(`${process.env.ANTHROPIC_BASE_URL}/v1/messages`, { method: "POST", headers, body });
}

async function readReply(response) {
  const blocks = [];
  let rest = "";
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + text).split("\n\n");
    rest = events.pop();
    for (const event of events) take(blocks, JSON.parse(event.slice(event.indexOf("data: ") + 6)));
  }
  return blocks.map(({ json, ...block }) =>
    block.type === "tool_use" ? { ...block, input: JSON.parse(json) } : block,
  );
}

function take(blocks, { type, index, content_block, delta }) {
  if (type === "content_block_start") blocks[index] = { ...content_block, json: "" };
  if (type !== "content_block_delta") return;
  if (delta.type === "text_delta") blocks[index].text += delta.text;
  else blocks[index].json += delta.partial_json;
}

const messages = [{ role: "user", content: process.argv[2] }];
for (;;) {
  const content = await readReply(await request(messages));
  messages.push({ role: "assistant", content });
  const calls = content.filter(({ type }) => type === "tool_use");
  if (calls.length === 0) break;
  const results = calls.map(async ({ id, name, input }) => ({
    type: "tool_result",
    tool_use_id: id,
    content: await run[name](input),
  }));
  messages.push({ role: "user", content: await Promise.all(results) });
}
process.stdout.write(`${messages.at(-1).content[0].text}\n`);
