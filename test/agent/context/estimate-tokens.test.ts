import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";
import { countTokens as countCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as countO200k } from "gpt-tokenizer/encoding/o200k_base";
import { estimateMessage, estimateOffers, estimateTokens } from "../../../src/agent/context/estimate-tokens.ts";

const folder = new URL("../../fixtures/tokens/", import.meta.url);
const kinds = (await readdir(folder)).filter((name) => name.endsWith(".txt"));
const corpus = await Promise.all(
  kinds.map(async (name) => {
    const text = await readFile(new URL(name, folder), "utf8");
    return { name, o200k: countO200k(text), cl100k: countCl100k(text), estimate: estimateTokens(text) };
  }),
);

test("an estimate is within 20 % of o200k on each kind of text, and within 8 % over all [L4]", () => {
  assert.ok(corpus.length >= 12, `${corpus.length} kinds of text`);
  for (const { name, o200k, estimate } of corpus) assertWithin(estimate / o200k, 0.2, `${name} against o200k`);
  const sum = (pick: (one: (typeof corpus)[number]) => number): number =>
    corpus.reduce((all, one) => all + pick(one), 0);
  assertWithin(sum((one) => one.estimate) / sum((one) => one.o200k), 0.08, "all against o200k");
  assertWithin(sum((one) => one.estimate) / sum((one) => one.cl100k), 0.08, "all against cl100k");
});

test("an estimate is within 20 % of cl100k where the two vocabularies agree, and between them where they do not [L4]", () => {
  const [agreed, disputed] = [corpus.filter(isAgreed), corpus.filter((one) => !isAgreed(one))];
  assert.ok(agreed.length >= 12, `${agreed.length} kinds on which the vocabularies agree`);
  for (const { name, cl100k, estimate } of agreed) assertWithin(estimate / cl100k, 0.2, `${name} against cl100k`);
  for (const { name, o200k, cl100k, estimate } of disputed) {
    assert.ok(
      estimate > o200k * 0.95 && estimate < cl100k,
      `${name}: ${estimate} is not between ${o200k} and ${cl100k}`,
    );
  }
});

test("images, calls and offers count as well [L4]", () => {
  const image = { type: "image", mediaType: "image/png", data: "A".repeat(300_000) } as const;
  const text = { type: "text", text: "What is this?" } as const;
  const withImage = estimateMessage({ role: "user", parts: [text, image] });
  assert.equal(withImage - estimateMessage({ role: "user", parts: [text] }), 1_600);
  const call = { type: "call", callId: "c1", tool: "read", inputText: '{"file_path":"src/index.ts"}' } as const;
  assert.ok(estimateMessage({ role: "assistant", parts: [call] }) > 10);
  const offer = { name: "read", description: "Read a text file.", inputSchema: { type: "object", properties: {} } };
  const whole = estimateOffers([offer, offer]);
  assert.equal(whole, 2 * estimateOffers([offer]));
  assert.ok(whole > 30 && whole < 100, `${whole}`);
});

test("nothing has no tokens, and half a character counts without harm [L4]", () => {
  assert.equal(estimateTokens(""), 0);
  assert.ok(estimateTokens("\ud83d") > 0);
  assert.ok(estimateTokens("🙂".repeat(10)) >= 10);
});

function isAgreed({ o200k, cl100k }: { readonly o200k: number; readonly cl100k: number }): boolean {
  return Math.abs(cl100k / o200k - 1) <= 0.1;
}

function assertWithin(ratio: number, tolerance: number, what: string): void {
  assert.ok(Math.abs(ratio - 1) <= tolerance, `${what}: ${((ratio - 1) * 100).toFixed(1)} %`);
}
