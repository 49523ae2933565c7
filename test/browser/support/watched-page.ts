import assert from "node:assert/strict";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

export interface WatchedPage {
  readonly page: Page;
  /** Fails when there was a console error, an exception, a failed request, or a request to anybody but the daemon. */
  readonly assertQuiet: () => void;
  /** What went wrong so far on purpose, such as a daemon that was killed, does not count any more. */
  readonly forget: () => void;
  /** Paths of all requests to the API so far. */
  readonly requests: () => readonly string[];
}

/** How long a slow machine may take to show something; nothing waits this long when it works. */
const deadlineMs = 60_000;

/** A page in a profile of its own that notes all that goes wrong in it. */
export async function openPage(
  browser: Pick<Browser, "newContext">,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ baseURL: origin, reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(deadlineMs);
  const page = await context.newPage();
  const problems: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") {
      problems.push(`console ${message.type()}: ${message.text()} (${message.location().url})`);
    }
  });
  page.on("pageerror", (error) => problems.push(`exception: ${error.stack ?? error.message}`));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && url.protocol !== "data:" && url.protocol !== "blob:") {
      problems.push(`request to somebody else: ${request.url()}`);
    }
    if (url.pathname.startsWith("/api/")) requests.push(`${url.pathname}${url.search}`);
  });
  page.on("requestfailed", (request) => {
    const why = request.failure()?.errorText ?? "";
    // A page that is left gives up what it still waits for.
    if (why !== "net::ERR_ABORTED") problems.push(`request failed: ${request.url()} ${why}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) problems.push(`${response.status()}: ${response.url()}`);
  });
  return {
    page,
    assertQuiet: () => assert.deepEqual(problems, []),
    forget: () => void problems.splice(0),
    requests: () => requests,
  };
}
