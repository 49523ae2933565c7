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

test("nothing that was typed is lost between the form and the JSON [D6]", browserLane(), async (t) => {
  const { page, assertQuiet } = await openDashboard(t, { path: "/tools/find_orders" });
  const json = page.getByLabel("Input, as JSON");
  const limit = page.getByRole("textbox", { name: "limit (optional)", exact: true });
  await page.getByLabel("customer").fill("Kim");
  await limit.fill("ten");
  await page.getByRole("button", { name: "Write JSON instead" }).click();
  await page.getByText('Expected a number, got "ten".').waitFor();
  // Its name is its name; what is wrong with it and what helps are told after it.
  assert.equal(await limit.getAttribute("aria-invalid"), "true");
  const described = ((await limit.getAttribute("aria-describedby")) ?? "").split(" ");
  const words = await Promise.all(described.map((id) => page.locator(`[id="${id}"]`).innerText()));
  assert.deepEqual(words, ['Expected a number, got "ten".', "1 to 100"]);

  await limit.fill("7");
  await page.getByRole("button", { name: "Write JSON instead" }).click();
  assert.deepEqual(JSON.parse(await json.inputValue()), { customer: "Kim", limit: 7 });
  await json.fill('{"customer": "Kim", "unheard_of": 1}');
  await page.getByRole("button", { name: "Use the form" }).click();
  await page.getByText("The form has no fields for all of this.").waitFor();
  await json.fill('{"customer": "Kim", "limit": 1000}');
  await page.getByRole("button", { name: "Use the form" }).click();
  await page.getByText("limit: Expected at most 100, got 1000.").waitFor();
  await json.fill('{"limit": 8}');
  await page.getByRole("button", { name: "Use the form" }).click();
  await limit.waitFor();
  assert.equal(await limit.inputValue(), "8");
  assertQuiet();
});

test(
  "the last calls of a tool say what was asked, and the lists of other pages keep their shape [D6]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet } = await openDashboard(t);
    const command = "echo what happened; exit 3";
    await machine.api("/api/tools/bash/call", { input: { command } });
    const columns = (): Promise<number> =>
      page.evaluate<number>(
        `getComputedStyle(document.querySelector(".call-row")).gridTemplateColumns.split(" ").length`,
      );
    await page.getByRole("link", { name: new RegExp(command) }).waitFor();
    const before = await columns();
    await page.getByRole("link", { name: "Tools", exact: true }).click();
    await page.getByRole("link", { name: /^bash/ }).click();
    const last = page.getByRole("list", { name: "Last calls" });
    await last.getByText(command).waitFor();
    await last.getByText("Command exited with code 3").waitFor();
    await page.getByRole("link", { name: /^Now/ }).click();
    await page.getByRole("link", { name: new RegExp(command) }).waitFor();
    assert.equal(await columns(), before);
    assertQuiet();
  },
);

test(
  "the page of a tool that is not there says so to people, and leads to those that are [D6]",
  browserLane(),
  async (t) => {
    const { page } = await openDashboard(t, { path: "/tools/nothing_like_it" });
    const alert = page.getByRole("alert");
    await alert.getByText('There is no tool named "nothing_like_it". See all tools', { exact: true }).waitFor();
    await alert.getByRole("link", { name: "See all tools" }).click();
    await page.getByRole("heading", { level: 1, name: "Tools" }).waitFor();
  },
);
