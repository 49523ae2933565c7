import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../support/runtime.ts";
import { browserLane } from "./support/chromium.ts";
import { openDashboard } from "./support/open-dashboard.ts";

test(
  "the focus goes along to the page that somebody goes to, by link, by key and back, and not on the first one [D6]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet } = await openDashboard(t);
    await machine.api("/api/tools/word_count/call", { input: { text: "a b" } });
    const isOn = (what: string): Promise<unknown> =>
      until(`the focus is on ${what}`, async () => (await page.evaluate<string>(focused)) === what, 60_000);
    const call = page.getByRole("list", { name: "Calls that ended" }).getByRole("link");
    await call.waitFor();
    await page.reload();
    await call.waitFor();
    assert.equal(await page.evaluate<string>("document.activeElement.tagName"), "BODY");
    await call.focus();
    await page.keyboard.press("Enter");
    await isOn("H1 word_count");
    await page.goBack();
    await isOn("H1 Now");
    await page.keyboard.press("g");
    await page.keyboard.press("o");
    await isOn("H1 Tools");
    await page.getByRole("link", { name: /^find_orders/ }).press("Enter");
    await isOn("H1 find_orders");
    assertQuiet();
  },
);

const focused = `document.activeElement.tagName + " " + document.activeElement.textContent`;

test(
  "going back finds a long list as it was left, with its older pages and at the same place [D6]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet } = await openDashboard(t);
    for (let round = 0; round < 60; round++) {
      await machine.api("/api/tools/word_count/call", { input: { text: `round ${round}` } });
    }
    const place = (): Promise<number> => page.evaluate<number>("Math.round(scrollY)");
    await page.goto(`${machine.origin}/`);
    const rows = page.getByRole("list", { name: "Calls that ended" }).getByRole("listitem");
    await page.getByRole("button", { name: "Show older ones" }).click();
    await rows.nth(59).waitFor();
    await rows.nth(55).scrollIntoViewIfNeeded();
    const left = await place();
    assert.ok(left > 0);
    await rows.nth(55).getByRole("link").click();
    await page.getByRole("heading", { level: 1, name: "word_count" }).waitFor();
    await page.goBack();
    await rows.nth(59).waitFor();
    await until("the place is the same", async () => Math.abs((await place()) - left) < 40, 60_000);
    assertQuiet();
  },
);
