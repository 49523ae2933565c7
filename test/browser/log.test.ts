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

test(
  "the log is narrowed by kind and by tool, and the evidence of a call is shown whole [D4 D5 D6]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet } = await openDashboard(t);
    const { id } = await machine.api<{ id: string }>("/api/tools/word_count/call", { input: { text: "a needle" } });
    await machine.api("/api/tools/bash/call", { input: { command: "echo 'a problem'; exit 3" } });
    await page.goto(`${machine.origin}/log`);
    const lines = page.getByRole("list", { name: "Lines of the log" }).getByRole("listitem");
    /** The kinds and tools that are listed, each once. */
    const listed = async (): Promise<string[]> => {
      const said = await lines.evaluateAll((rows) =>
        rows.map((row) =>
          [".tag", ".row-name"].map((part) => row.querySelector(part)?.textContent?.trim() ?? "").join(" "),
        ),
      );
      return [...new Set(said)].toSorted();
    };
    const isListed = (what: readonly string[]) =>
      until(`only ${what.join(", ")}`, async () => (await listed()).join() === what.join(), 60_000);

    await lines.first().waitFor();
    await page.getByLabel("Kind of lines").selectOption("Errors");
    await isListed(["tool error bash"]);
    await page.getByLabel("Kind of lines").selectOption("Calls");
    await isListed(["tool call bash", "tool call word_count", "tool error bash", "tool result word_count"]);
    await page.getByLabel("Tool", { exact: true }).fill("word_count");
    await isListed(["tool call word_count", "tool result word_count"]);
    const asked = new URL(page.url()).searchParams;
    assert.deepEqual([asked.get("tool"), asked.get("type")], ["word_count", "tool_call,tool_result,tool_error"]);

    await page.goto(`${machine.origin}/log?evidence=${id}`);
    const evidence = page.getByRole("region", { name: "Evidence" });
    await evidence.getByText("These lines fit their hashes, and the chains of their writers are whole.").waitFor();
    const kinds = await evidence.getByRole("heading", { level: 3 }).allInnerTexts();
    assert.deepEqual([kinds.includes("tool call"), kinds.includes("tool result")], [true, true], kinds.join());
    assert.equal(await evidence.getByText("changed afterwards!").count(), 0);
    await evidence.getByText("a needle").first().waitFor();
    await evidence.getByRole("button", { name: "Close the evidence" }).click();
    await evidence.waitFor({ state: "detached" });
    assertQuiet();
  },
);
