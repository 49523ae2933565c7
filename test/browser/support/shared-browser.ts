import { after } from "node:test";
import type { Browser, BrowserContext } from "playwright-core";
import { afterTest } from "../../support/after-test.ts";
import { openBrowser } from "./chromium.ts";

/** A browser takes longer to start than most tests take in it: the tests of a file share one, each in profiles of its own. */
let shared: Promise<Browser> | undefined;
const closing: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closing) await close();
});

/** Its profiles are closed after the test, or the suite. */
export async function shareBrowser(t: {
  after(hook: () => Promise<void>): void;
}): Promise<Pick<Browser, "newContext">> {
  shared ??= openBrowser({ after: (close) => void closing.push(close) });
  const browser = await shared;
  const profiles: BrowserContext[] = [];
  afterTest(t, () => Promise.all(profiles.map((profile) => profile.close())));
  return {
    async newContext(options) {
      const profile = await browser.newContext(options);
      profiles.push(profile);
      return profile;
    },
  };
}
