import assert from "node:assert/strict";
import test from "node:test";
import { estimateTokens } from "../../../src/agent/context/estimate-tokens.ts";
import { createBridgeTools } from "../../../src/agent/selection/bridge-tools.ts";
import { openToolSearch } from "../../../src/agent/selection/search-tools.ts";
import { selectTools } from "../../../src/agent/selection/select-tools.ts";
import { createCatalog } from "../../../src/engine/catalog.ts";
import { describeBuiltinTools, read200Tools, readQueries, type LabelledQuery } from "./catalog-of-200.ts";

test("of 200 tools the right one is offered or found for 95 of 100 prompts, with 80 % fewer tokens [C7]", async (t) => {
  const catalog = createCatalog([...describeBuiltinTools(), ...(await read200Tools())]);
  for (const tool of createBridgeTools(catalog)) catalog.add(tool);
  const tools = catalog.list("agent");
  const toolSearch = await openToolSearch({ tools });
  const queries = await readQueries();
  const isKorean = ({ prompt }: LabelledQuery): boolean => /\p{Script=Hangul}/u.test(prompt);
  const isHeldOut = ({ heldOut }: LabelledQuery): boolean => heldOut;
  const found = (words: string, name: string): boolean =>
    toolSearch
      .search(words)
      .slice(0, 5)
      .some(({ tool }) => tool.name === name);

  let leastSaved = 100;
  const notOffered: LabelledQuery[] = [];
  for (const labelled of queries) {
    const selection = await selectTools({ tools, prompt: labelled.prompt, estimate: estimateTokens });
    leastSaved = Math.min(leastSaved, selection.savedPercent);
    if (!selection.names.includes(labelled.tool)) notOffered.push(labelled);
  }
  const missed = notOffered.filter(({ tool, prompt, query }) => !found(query ?? prompt, tool));
  const rateOf = (misses: readonly LabelledQuery[], kind: (query: LabelledQuery) => boolean): number =>
    1 - misses.filter(kind).length / queries.filter(kind).length;
  const percent = (rate: number): string => `${(rate * 100).toFixed(1)} %`;
  t.diagnostic(
    `${queries.length} prompts; offered: all ${percent(rateOf(notOffered, () => true))}, held out ${percent(rateOf(notOffered, isHeldOut))}`,
  );
  t.diagnostic(
    `offered or found: all ${percent(rateOf(missed, () => true))}, held out ${percent(rateOf(missed, isHeldOut))}, Korean ${percent(rateOf(missed, isKorean))}; saved at least ${leastSaved} %`,
  );
  assert.ok(queries.filter(isHeldOut).length >= 60 && queries.filter(isKorean).length >= 15);
  for (const kind of [() => true, isHeldOut, isKorean]) {
    assert.ok(rateOf(missed, kind) >= 0.95, JSON.stringify(missed));
  }
  assert.ok(rateOf(notOffered, isHeldOut) >= 0.8, JSON.stringify(notOffered.filter(isHeldOut)));
  assert.ok(leastSaved >= 80, `saved only ${leastSaved} %`);
});
