import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { browserLane } from "./support/chromium.ts";
import { findViolations } from "./support/find-violations.ts";
import type { Dashboard } from "./support/open-dashboard.ts";
import { openFilled } from "./support/open-filled.ts";
import { loadPage, switchPage } from "./support/show-page.ts";

/** Where each page is, and what shows that it is there. */
async function pagesOf({ machine }: Dashboard): Promise<readonly (readonly [path: string, heading: RegExp])[]> {
  const first = async (list: string): Promise<string> =>
    (await machine.api<{ items: { id: string }[] }>(list)).items[0]!.id;
  return [
    ["/", /^Now$/],
    [`/calls/${await first("/api/calls?tool=bash")}`, /^bash$/],
    ["/tasks", /^Tasks$/],
    [`/tasks/${await first("/api/tasks")}`, /^Tasks$/],
    ["/rollouts", /^Rollouts$/],
    ["/rollouts/price_quote", /^price_quote$/],
    ["/schedule", /^Schedule$/],
    ["/schedule/count%20the%20words", /^count the words$/],
    ["/inbox", /^Inbox$/],
    ["/log", /^Log$/],
    ["/tools", /^Tools$/],
    ["/tools/find_orders", /^find_orders$/],
    ["/nothing/here", /^Not here$/],
  ];
}

describe("all pages", browserLane(), () => {
  let dashboard: Dashboard;
  const closing: (() => Promise<void>)[] = [];
  before(async () => {
    dashboard = await openFilled({ after: (close) => void closing.push(close) });
  });
  after(async () => {
    for (const close of closing) await close();
  });

  test("every page is whole in the light and in the dark theme: no error, no request to anybody else, nothing that axe finds [D6 G6]", async () => {
    const { page, assertQuiet } = dashboard;
    const found: string[] = [];
    for (const [path, heading] of await pagesOf(dashboard)) {
      await loadPage(page, path, heading);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        for (const violation of await findViolations(page)) found.push(`${path}, ${colorScheme}: ${violation}`);
      }
    }
    assert.deepEqual(found, []);
    assertQuiet();
  });

  test("no page scrolls sideways on a screen of 360 pixels [D6]", async () => {
    const phone = await dashboard.openOther("/", { viewport: { width: 360, height: 740 }, hasTouch: true });
    const wide: string[] = [];
    for (const [path, heading] of await pagesOf(dashboard)) {
      await switchPage(phone.page, path, heading);
      const width = await phone.page.evaluate<number>("document.documentElement.scrollWidth");
      if (width > 360) wide.push(`${path}: ${width}`);
    }
    assert.deepEqual(wide, []);
    phone.assertQuiet();
  });

  test("everything can be reached and done by keyboard alone [D6]", async () => {
    const { machine, openOther } = dashboard;
    const { page, assertQuiet } = await openOther("/");
    const focused = (): Promise<string> => page.evaluate<string>(nameOfFocused);
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Skip to the page");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate<string>("document.activeElement.id"), "main");

    for (const [key, name] of Object.entries({
      t: "Tasks",
      r: "Rollouts",
      s: "Schedule",
      i: "Inbox",
      l: "Log",
      o: "Tools",
      n: "Now",
    })) {
      await page.keyboard.press("g");
      await page.keyboard.press(key);
      await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
    }
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    // From the list of rollouts into one of them, and an order given, without a pointer.
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await page.getByRole("link", { name: /price_quote/ }).waitFor();
    await pressUntil(page, "Tab", async () => /price_quote|word_count/.test(await focused()));
    await pressUntil(page, "j", async () => (await focused()).startsWith("word_count"));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "word_count" }).waitFor();
    await pressUntil(page, "Tab", async () => (await focused()).startsWith("Hold"));
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await pressUntil(
      page,
      "Tab",
      async () => (await page.evaluate<string>("document.activeElement.tagName")) === "TEXTAREA",
    );
    await page.keyboard.type("By keyboard.");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Let it go on…" }).waitFor();
    const { view } = await machine.api<{ view: { is_held: boolean } }>("/api/rollouts/word_count");
    assert.equal(view.is_held, true);
    assertQuiet();
  });
});

const nameOfFocused = `(document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "").trim()`;

/** Whoever sits at a keyboard gives up at some point, too. */
const mostPresses = 60;

async function pressUntil(page: Page, key: string, isThere: () => Promise<boolean>): Promise<void> {
  for (let press = 0; press < mostPresses; press++) {
    if (await isThere()) return;
    await page.keyboard.press(key);
  }
  assert.fail(`${mostPresses} times ${key} did not lead there.`);
}
