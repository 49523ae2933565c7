import assert from "node:assert/strict";
import { test } from "node:test";
import { lintSource } from "@secretlint/core";
import { creator } from "@secretlint/secretlint-rule-preset-recommend";
import { createMasker } from "../../../src/guard/secrets/create-masker.ts";
import { allSamples } from "./secret-samples.ts";

const masker = createMasker({ values: [], key: "test" });

test("secretlint finds nothing in what was masked, and something in what was not [D4]", async () => {
  const text = allSamples.map((sample) => sample.text).join("\n\n");
  assert.ok((await lint(text)) > 30, "secretlint knows many of the samples");
  assert.equal(await lint(masker.text(text)), 0);
});

/** How many secrets it finds; a mark in the place of a password is none. */
async function lint(content: string): Promise<number> {
  const { messages } = await lintSource({
    source: { filePath: "/sample.txt", content, ext: ".txt", contentType: "text" },
    options: {
      config: { rules: [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: creator, options: {} }] },
      locale: "en",
    },
  });
  return messages.filter(({ range }) => !content.slice(...range).includes("[MASKED:")).length;
}
