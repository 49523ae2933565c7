import { existsSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterTest } from "../../support/after-test.ts";
import { lane } from "../../support/require.ts";

type Context = { after(hook: () => Promise<void>): void };

/** As Debian and others install it; the first draws the same pages without a desktop's services, in two thirds of the time. */
const places = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

export function browserLane(): { skip?: string } {
  return lane("browser", findChromium() === undefined ? `there is no Chromium: none of ${places.join(", ")}` : true);
}

export function findChromium(): string | undefined {
  return places.find((place) => existsSync(place));
}

/** Closed after the test, or the suite. */
export async function openBrowser(t: Context): Promise<Browser> {
  const browser = await launchChromium();
  afterTest(t, () => browser.close());
  return browser;
}

/** Chromium takes the last such list only; these are what Playwright's own names that concerns a page on this machine. */
const disabledByPlaywright = [
  ["AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "LensOverlay"],
  ["HttpsFirstBalancedModeAutoEnable", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning"],
  ["AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled"],
  ["PreconnectToSearch"],
].flat();

async function launchChromium(): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  return chromium.launch({
    executablePath: findChromium()!,
    args: [
      // Its sandbox refuses to work for root; elsewhere it stays on.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      // The last is a process in reserve for each profile, which most tests never use.
      `--disable-features=${[...disabledByPlaywright, "SpareRendererForSitePerProcess"].join(",")}`,
    ],
  });
}
