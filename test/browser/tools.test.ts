import assert from "node:assert/strict";
import { test } from "node:test";
import { browserLane } from "./support/chromium.ts";
import { openDashboard } from "./support/open-dashboard.ts";

interface Call {
  readonly state: string;
  readonly door: string;
  readonly tool_input: unknown;
}

test("a tool is tried through the form that its schema makes, and as JSON [D6]", browserLane(), async (t) => {
  const { machine, page, assertQuiet } = await openDashboard(t, { path: "/tools" });
  await page.getByLabel("Search tools").fill("orders");
  await page.getByRole("link", { name: /find_orders/ }).click();
  await page.getByRole("heading", { level: 1, name: "find_orders" }).waitFor();

  await page.getByLabel("customer").fill('O\'Neil <b>"&"</b>');
  await page.getByLabel("state").selectOption("paid");
  assert.equal(await page.getByLabel("limit").inputValue(), "10");
  await page.getByLabel("limit").fill("1000");
  await page.getByLabel("above").fill("9.5");
  await page.getByLabel("express").selectOption("yes");
  await page.getByRole("button", { name: "Add to articles" }).click();
  await page.getByRole("textbox", { name: "articles 1" }).fill("rope");
  await page.getByLabel("from").fill("2026-01-31");
  await page.getByLabel("sort").fill('["date"');
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText("Expected at most 100, got 1000.").waitFor();
  await page.getByText(/^Expected JSON: /).waitFor();

  await page.getByLabel("limit").fill("5");
  await page.getByLabel("sort").fill('["date"]');
  await page.getByRole("button", { name: "Run" }).click();
  const result = page.getByLabel("Result", { exact: true });
  await result.filter({ hasText: "You asked for" }).waitFor();
  const input = {
    customer: 'O\'Neil <b>"&"</b>',
    state: "paid",
    limit: 5,
    above: 9.5,
    express: true,
    articles: ["rope"],
    between: { from: "2026-01-31" },
    sort: ["date"],
  };
  assert.equal(await result.innerText(), `You asked for ${JSON.stringify(input)}`);
  const { items } = await machine.api<{ items: Call[] }>("/api/calls?tool=find_orders");
  assert.deepEqual(
    items.map(({ state, door, tool_input }) => [state, door, tool_input]),
    [["completed", "dashboard", input]],
  );

  await page.getByRole("button", { name: "Write JSON instead" }).click();
  assert.deepEqual(JSON.parse(await page.getByLabel("Input, as JSON").inputValue()), input);
  await page.getByLabel("Input, as JSON").fill('{"customer": "Kim"}');
  await page.getByRole("button", { name: "Run" }).click();
  await result.filter({ hasText: '{"customer":"Kim"' }).waitFor();
  assertQuiet();
});

test("what a tried tool prints is shown as it comes, and it can be stopped [E9 D6]", browserLane(), async (t) => {
  const { machine, page, assertQuiet } = await openDashboard(t, { path: "/tools/bash" });
  await page.getByLabel("command", { exact: true }).fill("echo first; sleep 600; echo second");
  await page.getByRole("button", { name: "Run" }).click();
  const result = page.getByLabel("Result", { exact: true });
  await result.filter({ hasText: "first" }).waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.locator(".tried").getByText("cancelled", { exact: true }).waitFor();
  const { items } = await machine.api<{ items: Call[] }>("/api/calls?tool=bash");
  assert.deepEqual(
    items.map(({ state }) => state),
    ["cancelled"],
  );
  assert.doesNotMatch(await result.innerText(), /second/);
  assertQuiet();
});
