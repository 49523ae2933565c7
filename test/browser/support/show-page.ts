import type { Page } from "playwright-core";
import { until } from "../../support/runtime.ts";

type Heading = string | RegExp;

/** As an address that is typed: all is loaded anew. */
export async function loadPage(page: Page, path: string, heading: Heading): Promise<void> {
  await page.goto(path);
  await seePage(page, heading);
}

/** As the browser's own buttons do: the document stays, which takes a tenth of the time. */
export async function switchPage(page: Page, path: string, heading: Heading): Promise<void> {
  await page.evaluate<void>(
    `history.pushState(null, "", ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent("popstate"))`,
  );
  await seePage(page, heading);
}

async function seePage(page: Page, heading: Heading): Promise<void> {
  await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
  await until("all is loaded", async () => (await page.locator(".loading").count()) === 0);
}
