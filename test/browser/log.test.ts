import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/runtime.ts";
import { browserLane } from "./support/chromium.ts";
import { openDashboard } from "./support/open-dashboard.ts";

test(
  "the log is searched and verified on the page, and a line that was changed shows [D4 D5 D6]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet } = await openDashboard(t);
    for (const text of ["a needle", "some hay", "more hay"]) {
      await machine.api("/api/tools/word_count/call", { input: { text } });
    }
    await page.goto(`${machine.origin}/log`);
    const lines = page.getByRole("list", { name: "Lines of the log" }).getByRole("listitem");
    await page.getByText(/The log is whole: \d+ lines/).waitFor();
    await page.getByLabel("Search the log").fill("needle");
    await page.waitForURL(/text=needle/);
    // Between the two lists the page says that it is loading.
    await lines.filter({ hasText: "hay" }).first().waitFor({ state: "detached" });
    await lines.filter({ hasText: "a needle" }).first().waitFor();
    const found = await lines.allInnerTexts();
    assert.ok(
      found.some((line) => line.includes("a needle")),
      found.join("\n"),
    );
    assert.ok(!found.some((line) => line.includes("hay")), found.join("\n"));

    await lines.first().getByRole("button").click();
    await page.getByRole("link", { name: "Evidence" }).first().click();
    await page.waitForURL(/evidence=call_/);
    assertQuiet();

    const path = join(machine.workdir, ".deckhand", "logs", "chat_log.jsonl");
    await writeFile(path, (await readFile(path, "utf8")).replace("a needle", "a noodle"));
    // The answer is kept for ten seconds; somebody who doubts it asks again.
    await until(
      "the page says so",
      async () => {
        await page.goto(`${machine.origin}/log`);
        await page.getByText(/The log is (?:NOT )?whole/).waitFor();
        return page.getByText(/The log is NOT whole/).isVisible();
      },
      60_000,
    );
  },
);
