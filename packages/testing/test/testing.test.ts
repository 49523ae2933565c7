import assert from "node:assert/strict";
import { test } from "node:test";
import * as testing from "../src/testing.ts";

test("deckhand/testing has the names that other people's tests use", () => {
  assert.deepEqual(Object.keys(testing).toSorted(), [
    "createScriptedModel",
    "parseScript",
    "readScript",
    "serializeScript",
    "serveScript",
    "toScript",
  ]);
});
