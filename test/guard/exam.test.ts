import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder } from "../support/temporary.ts";
import {
  addUp,
  examineCommands,
  examinePaths,
  examineTexts,
  examineUrls,
  share,
  showScore,
  type Score,
} from "./corpus/exam.ts";
import { createJudges } from "./corpus/judges.ts";
import { readCorpus } from "./corpus/read-corpus.ts";

const corpus = readCorpus(`${import.meta.dirname}/corpus`);

test("dangerous commands of the corpus are found, and ordinary ones pass [L8]", () => {
  const scores = examineCommands(corpus, createJudges());
  assertAtLeast(addUp(scores, ["plain"]), 1);
  assertAtLeast(addUp(scores, ["variant", "wrapped"]), 0.99);
  assertAtLeast(addUp(scores, ["obfuscated"]), 0.99);
  assertAtLeast(addUp(scores, ["safe"]), 0.99);
});

test("paths of the corpus are judged right, without exception [G1]", async (t) => {
  assertAtLeast(examinePaths(corpus, createJudges(), await temporaryFolder(t)), 1);
});

test("secrets of the corpus are masked, and nothing else changes [D4]", () => {
  const scores = examineTexts(corpus, createJudges());
  assertAtLeast(addUp(scores, ["secrets"]), 0.97);
  assertAtLeast(addUp(scores, ["text around secrets"]), 1);
  assertAtLeast(addUp(scores, ["clean texts"]), 1);
});

test("URLs of the corpus are judged right, without exception [G5]", () => {
  assertAtLeast(examineUrls(corpus, createJudges()), 1);
});

function assertAtLeast(score: Score, mark: number): void {
  assert.ok(score.of > 0, `The corpus has no case for ${score.name}.`);
  assert.ok(share(score) >= mark, `Expected ${mark * 100} % or more.\n${showScore(score)}`);
}
