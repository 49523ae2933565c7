import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { defineTool } from "../../src/core/define-tool.ts";
import { createRuntime } from "../../src/runtime/create-runtime.ts";
import type { Machine } from "../cli/run-deckhand.ts";
import { count } from "../support/counts.ts";
import { until } from "../support/runtime.ts";
import { browserLane } from "./support/chromium.ts";
import { openDashboard } from "./support/open-dashboard.ts";

const nothing = defineTool({
  name: "nothing",
  description: "Do nothing.",
  traits: { readOnly: true, risk: "low", category: "test" },
  input: z.object({ word: z.string() }),
  resources: () => [],
  run: () => Promise.resolve({ ok: true, output: "done" }),
});

/** Calls that really ran: in the store, and each with its lines in the log. */
async function callOften({ workdir, env }: Machine, calls: number): Promise<void> {
  const runtime = await createRuntime({ workdir, env, tools: [nothing], builtins: false });
  for (let number = 0; number < calls; number += 50) {
    const inputs = Array.from({ length: Math.min(50, calls - number) }, (_, index) => ({
      word: number + index === 3 ? "needle" : "hay",
    }));
    await Promise.all(inputs.map((input) => runtime.call("nothing", input)));
  }
  await runtime.close();
}

/** More rows than this at once is no page but a dump. */
const mostRows = 120;

test(
  "with very many executions stored, Now and Log fetch and draw only what fits a page [D6]",
  browserLane(),
  async (t) => {
    const stored = count({ quick: 2000, full: 100_000 });
    const { machine, page, requests, assertQuiet } = await openDashboard(t, {
      prepare: (each) => callOften(each, stored),
      path: "/tools",
    });
    const pages = [
      ["/", "Calls that ended"],
      ["/log", "Lines of the log"],
    ] as const;
    for (const [path, name] of pages) {
      const before = requests().length;
      await page.goto(`${machine.origin}${path}`);
      const rows = page.getByRole("list", { name }).getByRole("listitem");
      await rows.first().waitFor();
      const readableMs = await page.evaluate<number>("performance.now()");
      t.diagnostic(`${path} with ${stored} executions is readable after ${Math.round(readableMs)} ms`);
      const shown = await rows.count();
      assert.ok(shown > 0 && shown <= mostRows, `${path} draws ${shown} rows`);
      const asked = requests().slice(before);
      assert.ok(asked.length <= 20, `${path} asks ${asked.join(" ")}`);
      const limits = asked.map((each) => Number(new URLSearchParams(each.split("?")[1]).get("limit") ?? 0));
      assert.ok(Math.max(...limits) <= 200, asked.join(" "));
    }

    // What is older comes when somebody wants it, and search finds what is far back.
    await page.getByLabel("Search the log").fill("needle");
    await page.waitForURL(/text=needle/);
    const needle = page.getByRole("list", { name: "Lines of the log" }).getByText('{"word":"needle"}').first();
    const further = page.getByRole("button", { name: "Look further back" });
    await until(
      "the search finds it",
      async () => {
        if (await needle.isVisible()) return true;
        if (await further.isVisible()) await further.click();
        return false;
      },
      60_000,
    );
    await page.goto(`${machine.origin}/`);
    const older = page.getByRole("list", { name: "Calls that ended" }).getByRole("listitem");
    await older.first().waitFor();
    const first = await older.count();
    await page.getByRole("button", { name: "Show older ones" }).click();
    await older.nth(first).waitFor();
    assertQuiet();
  },
);
