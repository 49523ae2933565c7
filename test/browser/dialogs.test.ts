import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserLane } from "./support/chromium.ts";
import { shareBrowser } from "./support/shared-browser.ts";
import { findViolations } from "./support/find-violations.ts";
import { openFilled } from "./support/open-filled.ts";
import { openServedMachine } from "./support/served-machine.ts";
import { switchPage } from "./support/show-page.ts";
import { openPage } from "./support/watched-page.ts";

const themes = ["light", "dark"] as const;

interface Place {
  readonly path: string;
  readonly heading: string;
  readonly title: RegExp;
  readonly open: (page: Page) => Promise<void>;
}

const rollout = { path: "/rollouts/price_quote", heading: "price_quote" };
const job = { path: "/schedule/count%20the%20words", heading: "count the words" };

/** Where each dialog is, what it is called, and how to get there. */
const dialogs: readonly Place[] = [
  { path: "/", heading: "Now", title: /^Keyboard$/, open: (page) => page.keyboard.press("?") },
  { path: "/tasks", heading: "Tasks", title: /^Start a task$/, open: press("Start a task") },
  { path: "/schedule", heading: "Schedule", title: /^Add a job$/, open: press("Add a job…") },
  { ...job, title: /^Remove /, open: press("Remove…") },
  { ...rollout, title: /^Promote /, open: press(/^Promote to 30 %…/) },
  { ...rollout, title: /^Hold/, open: press("Hold…") },
  { ...rollout, title: /^Roll back/, open: press(/^Roll back…/) },
];

function press(name: string | RegExp): (page: Page) => Promise<void> {
  return (page) => page.getByRole("button", { name }).first().click();
}

test(
  "every dialog has a name, keeps the focus, closes with Escape, and has nothing that axe finds in either theme [D6]",
  browserLane(),
  async (t) => {
    const { page, assertQuiet } = await openFilled(t);
    const found: string[] = [];
    for (const { path, heading, title, open } of dialogs) {
      await switchPage(page, path, heading);
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
