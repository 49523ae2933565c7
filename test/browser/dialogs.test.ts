import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserLane } from "./support/chromium.ts";
import { shareBrowser } from "./support/shared-browser.ts";
import { findViolations } from "./support/find-violations.ts";
import { openFilled } from "./support/open-filled.ts";
import { openServedMachine } from "./support/served-machine.ts";
import { openPage } from "./support/watched-page.ts";

const themes = ["light", "dark"] as const;

/** Where each dialog is, what it is called, and how to get there. */
const dialogs: readonly (readonly [path: string, title: RegExp, open: (page: Page) => Promise<void>])[] = [
  ["/", /^Keyboard$/, (page) => page.keyboard.press("?")],
  ["/tasks", /^Start a task$/, press("Start a task")],
  ["/schedule", /^Add a job$/, press("Add a job…")],
  ["/schedule/count%20the%20words", /^Remove /, press("Remove…")],
  ["/rollouts/price_quote", /^Promote /, press(/^Promote to 30 %…/)],
  ["/rollouts/price_quote", /^Hold/, press("Hold…")],
  ["/rollouts/price_quote", /^Roll back/, press(/^Roll back…/)],
];

function press(name: string | RegExp): (page: Page) => Promise<void> {
  return (page) => page.getByRole("button", { name }).first().click();
}

test(
  "every dialog has a name, keeps the focus, closes with Escape, and has nothing that axe finds in either theme [D6]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet } = await openFilled(t);
    const found: string[] = [];
    for (const [path, title, open] of dialogs) {
      await page.goto(`${machine.origin}${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await open(page);
      const dialog = page.getByRole("dialog", { name: title });
      await dialog.waitFor();
      await dialog.locator(".loading").first().waitFor({ state: "detached" });
      assert.ok(await page.evaluate<boolean>(isFocusInside), `${path}: the focus is in ${title}`);
      for (const colorScheme of themes) {
        await page.emulateMedia({ colorScheme });
        for (const violation of await findViolations(page)) found.push(`${path} ${title} ${colorScheme}: ${violation}`);
      }
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
    assert.deepEqual(found, []);
    assertQuiet();
  },
);

const isFocusInside = `document.activeElement?.closest("dialog") !== null`;

test(
  "the page to sign in has nothing that axe finds in either theme, also when it says no [D6]",
  browserLane(),
  async (t) => {
    const machine = await openServedMachine(t);
    const { page } = await openPage(await shareBrowser(t), machine.origin);
    await page.goto(machine.origin);
    await page.getByRole("heading", { name: "Sign in to this machine" }).waitFor();
    const found: string[] = [];
    const look = async (when: string): Promise<void> => {
      for (const colorScheme of themes) {
        await page.emulateMedia({ colorScheme });
        for (const violation of await findViolations(page)) found.push(`${when}, ${colorScheme}: ${violation}`);
      }
    };
    await look("at first");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("Type the code that").waitFor();
    await look("with a problem");
    assert.deepEqual(found, []);
  },
);
