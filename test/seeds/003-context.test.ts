import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { Runtime } from "deckhand";
import type { Script } from "deckhand/testing";
import { openConversation, openLibrary, wholeFile, type Conversation, type Json, type Scope } from "./seed-support.ts";

// Source document 003: results that are too long, and a context that fills up.

const bigText = Array.from({ length: 5000 }, (_, at) => `line ${at + 1} ${"x".repeat(60)}`).join("\n") + "\n";

let runtime: Runtime;

before(async () => {
  runtime = await openLibrary(wholeFile, { files: { "big.txt": bigText, "wide.txt": "é한😀\n".repeat(40_000) } });
});

/** What the model gets of one call. */
async function resultOf(scope: Scope, call: { tool: string; input: unknown }, own = runtime): Promise<string> {
  const conversation = await openConversation(scope, own, { turns: [{ calls: [call] }, "Seen."] });
  await conversation.send("Look.");
  return lastResult(conversation);
}

function lastResult({ requests }: Conversation): string {
  const tool = requests.at(-1)!.messages.findLast(({ role }) => role === "tool");
  return tool?.role === "tool" ? tool.results[0]!.text : "";
}

describe("a result that is too long", () => {
  test("3-10 is cut at 10,000 characters, or at what limits.max_result_characters says", async (t) => {
    const text = await resultOf(t, { tool: "bash", input: { command: "cat big.txt" } });
    assert.ok(text.length > 9_000 && text.length < 10_600, `${text.length}`);
    const own = await openLibrary(t, {
      files: { "big.txt": bigText },
      variables: { DECKHAND_LIMITS_MAX_RESULT_CHARACTERS: "500" },
    });
    const short = await resultOf(t, { tool: "bash", input: { command: "cat big.txt" } }, own);
    assert.ok(short.length < 1_200, `${short.length}`);
  });

  for (const { name, file } of [
    { name: "of a command", file: "big.txt" },
    { name: "of a command, in characters of several bytes", file: "wide.txt" },
  ]) {
    test(`3-11 says how many characters are missing: ${name}`, async (t) => {
      const text = await resultOf(t, { tool: "bash", input: { command: `cat ${file}` } });
      const whole = file === "big.txt" ? bigText : "é한😀\n".repeat(40_000);
      const [mark, missing] = /\n?… \[(\d+) characters cut\] …\n/.exec(text)!;
      const [head, rest] = text.split(mark) as [string, string];
      const tail = rest.slice(0, rest.search(/\n?\[(?:The whole stdout|Cut)/));
      assert.ok(whole.startsWith(head));
      assert.ok(whole.endsWith(tail) || whole.endsWith(`${tail}\n`), tail.slice(-200));
      const shownTail = whole.endsWith(tail) ? tail : `${tail}\n`;
      // The newline before the mark is either of the head or of the mark.
      assert.ok(Math.abs(whole.length - head.length - shownTail.length - Number(missing)) <= 1, `${missing}`);
    });
  }

  test("3-11 of read ends after a whole line, and the next one is where it says", async (t) => {
    const first = await resultOf(t, { tool: "read", input: { file_path: "big.txt" } });
    const [, last, offset] = /\n\[Lines 1-(\d+) of 5,000\. Continue with offset=(\d+)\.\]$/.exec(first)!;
    assert.equal(Number(offset), Number(last) + 1);
    const numbers = first
      .split("\n")
      .slice(0, -1)
      .map((row) => Number(row.split("\t")[0]));
    assert.deepEqual(
      numbers,
      Array.from({ length: Number(last) }, (_, at) => at + 1),
    );
    const next = await resultOf(t, { tool: "read", input: { file_path: "big.txt", offset: Number(offset) } });
    assert.match(next, new RegExp(`^${offset}\tline ${offset} `));
  });

  test("3-11 the line about a call counts the lines there were, not those that are shown", async (t) => {
    const turns = [{ calls: [{ tool: "bash", input: { command: "cat big.txt" } }] }, "Seen."];
    const conversation = await openConversation(t, runtime, { turns });
    await conversation.send("Look.");
    const settled = conversation.events.find(({ type }) => type === "call:settled") as Json;
    assert.equal(settled.outputLines, 5000);
  });

  test("3-17 340 kB become 10 kB for the model", async (t) => {
    assert.ok(bigText.length > 330_000);
    const text = await resultOf(t, { tool: "bash", input: { command: "cat big.txt" } });
    assert.ok(text.length < 11_000);
  });

  test("3-48 is kept whole in a file that the result names", async (t) => {
    const text = await resultOf(t, { tool: "bash", input: { command: "cat big.txt" } });
    const [, path] = /The whole output is in (\S+\.txt)\./.exec(text)!;
    const kept = await runtime.call("grep", { pattern: "^line 2500 ", path });
    assert.match(kept.result?.output ?? kept.error ?? "", /line 2500 /);
  });
});

describe("the context", () => {
  const usage = (inputTokens: number) => ({ inputTokens, outputTokens: 10 });
  const model = { contextTokens: 100_000 };

  async function talk(scope: Scope, script: Script, prompts: readonly string[]): Promise<Conversation> {
    const conversation = await openConversation(scope, runtime, script);
    for (const prompt of prompts) await conversation.send(prompt);
    return conversation;
  }

  const noticesOf = ({ events }: Conversation): Json[] => events.filter(({ type }) => type === "notice:told");

  test("3-12 (differs) holds what the model's window holds; 100,000 tokens where that is unknown", async (t) => {
    const known = await talk(t, { model: { contextTokens: 50_000 }, turns: ["Hi."] }, ["hello"]);
    assert.equal(known.agent.context?.maxTokens, 50_000);
    const unknown = await talk(t, { turns: ["Hi."] }, ["hello"]);
    assert.equal(unknown.agent.context?.maxTokens, 100_000);
    const own = await openLibrary(t, { variables: { DECKHAND_LIMITS_MAX_CONTEXT_TOKENS: "70000" } });
    const limited = await openConversation(t, own, { turns: ["Hi."] });
    await limited.send("hello");
    assert.equal(limited.agent.context?.maxTokens, 70_000);
  });

  test("3-13 (differs) is measured by the provider's own figures", async (t) => {
    const conversation = await talk(t, { model, turns: [{ text: "Hi.", usage: usage(43_210) }] }, ["hello"]);
    assert.equal(conversation.agent.context?.tokens, 43_220);
  });

  test("3-14 at 80 % an info says so", async (t) => {
    const conversation = await talk(t, { model, turns: [{ text: "Hi.", usage: usage(81_000) }] }, ["hello"]);
    const [{ level, text }] = noticesOf(conversation) as [Json];
    assert.equal(level, "info");
    assert.match(text, /^The context is filling up: 81,010 of 100,000 tokens \(81 %\)\./);
  });

  test("3-15 at 100 % a warning says so, and claims no summary where there is nothing to summarise", async (t) => {
    const turns = [{ text: "Hi.", usage: usage(101_000) }];
    const conversation = await talk(t, { model, turns }, ["hello"]);
    const [{ level, text }] = noticesOf(conversation) as [Json];
    assert.equal(level, "warning");
    assert.equal(
      text,
      "The context is full: 101,010 of 100,000 tokens (101 %). Nothing is summarised: all of the conversation is among its latest turns.",
    );
  });

  test("3-16 is measured after each turn", async (t) => {
    const call = { tool: "read", input: { file_path: "big.txt", limit: 1 } };
    const conversation = await talk(t, { turns: [{ calls: [call] }, { calls: [call] }, "Done."] }, ["Look."]);
    assert.equal(conversation.events.filter(({ type }) => type === "context:measured").length, 3);
  });

  test("3-18 counts system prompt, tools and all messages", async (t) => {
    const small = await talk(t, { turns: ["Hi."] }, ["hello"]);
    const large = await talk(t, { turns: ["Hi."] }, [`hello ${"word ".repeat(2000)}`]);
    assert.ok(small.agent.context!.tokens > 500);
    assert.ok(large.agent.context!.tokens > small.agent.context!.tokens + 1500);
  });

  const long = (words: string) => `${words} ${"and so on ".repeat(900)}`;
  const summary =
    "The user wants the parser in src/parser.ts finished. It was read, its tests were run, and two of them failed because of the missing comma.";
  const compacting: Script = {
    model: { contextTokens: 8_000 },
    withoutTools: summary,
    turns: [long("One."), long("Two."), long("Three."), "Four."],
  };

  test("3-19 old turns become a summary before the context is full", async (t) => {
    const conversation = await talk(t, compacting, ["Read src/parser.ts", "And now?", "And now?", "Done?"]);
    const [compacted] = conversation.events.filter(({ type }) => type === "context:compacted") as Json[];
    assert.ok(compacted.tokensAfter < compacted.tokensBefore);
  });

  test("3-20 the names of files survive it", async (t) => {
    const conversation = await talk(t, compacting, ["Read src/parser.ts", "And now?", "And now?", "Done?"]);
    assert.match(JSON.stringify(conversation.requests.at(-1)!.messages), /src\/parser\.ts/);
  });
});
