// Makes the pictures of docs/dashboard.md: each page of a sample project, in both themes, by a real daemon and a real browser.
//
//   npm run build && node scripts/screenshots.ts            all
//   node scripts/screenshots.ts rollout tools               some
import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { findChromium, openBrowser } from "../test/browser/support/chromium.ts";
import { fillPages } from "../test/browser/support/fill-pages.ts";
import { tryVersions } from "../test/browser/support/sample-work.ts";
import { openServedMachine, type ServedMachine } from "../test/browser/support/served-machine.ts";
import { openPage } from "../test/browser/support/watched-page.ts";

const folder = fileURLToPath(new URL("../docs/images/", import.meta.url));
const hourMs = 3_600_000;
const mostBytes = 200_000;
const usualHeight = 860;

/** What is shown, and what has to be there before the picture is taken. */
const pictures: Readonly<Record<string, Picture>> = {
  now: { path: "/", shows: "watching for changes" },
  tasks: { path: "/tasks", shows: "Summing up September", height: 390, act: openTask },
  rollouts: { path: "/rollouts", shows: "price_quote", height: 380 },
  rollout: { path: "/rollouts/price_quote", shows: "Failed calls" },
  schedule: { path: "/schedule", shows: "weekly review", height: 440 },
  job: { path: "/schedule/count%20the%20words", shows: "Next runs" },
  inbox: { path: "/inbox", shows: "Waiting", height: 680 },
  log: { path: "/log", shows: "The log is whole" },
  tools: { path: "/tools", shows: "find_orders" },
  tool: { path: "/tools/find_orders", shows: "Try it", height: 1060, act: tryTool },
};

async function openTask(page: Page): Promise<void> {
  await page.getByRole("link", { name: /Summing up September/ }).click();
}

async function tryTool(page: Page): Promise<void> {
  await page.getByLabel("customer").fill("Kim");
  await page.getByLabel("state").selectOption("open");
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText("You asked for").waitFor();
}

interface Picture {
  readonly path: string;
  readonly shows: string;
  /** Of the window, where the usual one would show nothing but its ground. */
  readonly height?: number;
  readonly act?: (page: Page) => Promise<void>;
}

if (findChromium() === undefined) {
  console.error("There is no Chromium here: install the package chromium.");
  process.exit(1);
}
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in pictures));
if (unknown.length > 0) {
  console.error(`Unknown picture: ${unknown.join(", ")}. There are: ${Object.keys(pictures).join(", ")}.`);
  process.exit(2);
}

const hooks: (() => Promise<void>)[] = [];
const context = { after: (hook: () => Promise<void>): void => void hooks.push(hook) };
try {
  await mkdir(folder, { recursive: true });
  const machine = await openServedMachine(context, (each) => tryVersions(each, { calls: 400, spanMs: 6 * hourMs }));
  await fillPages(context, machine);
  await takeAll(machine);
} finally {
  for (const hook of hooks.toReversed()) await hook();
}

async function takeAll(machine: ServedMachine): Promise<void> {
  const browser = await openBrowser(context);
  const { page } = await openPage(browser, machine.origin, {
    viewport: { width: 1280, height: usualHeight },
    timezoneId: "Europe/Berlin",
    locale: "en-GB",
  });
  await page.goto(await machine.loginLink());
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  for (const [name, picture] of Object.entries(pictures)) {
    if (wanted.length === 0 || wanted.includes(name)) await take(page, name, picture);
  }
  if (wanted.length === 0 || wanted.includes("now")) {
    await page.setViewportSize({ width: 390, height: 780 });
    await take(page, "phone", pictures["now"]!);
  }
}

async function take(page: Page, name: string, { path, shows, act, height }: Picture): Promise<void> {
  const { width = 1280 } = page.viewportSize() ?? {};
  await page.setViewportSize({ width, height: height ?? (width < 500 ? 780 : usualHeight) });
  await page.goto(path);
  await page.getByText(shows).filter({ visible: true }).first().waitFor();
  await act?.(page);
  // Pictures have no moving parts: what is being fetched is there when the network rests for a moment.
  await page.waitForTimeout(1500);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.waitForTimeout(300);
    const image = await page.screenshot({ type: "png" });
    if (image.length > mostBytes)
      throw new Error(`${name}-${colorScheme} has ${image.length} bytes; at most ${mostBytes} fit here.`);
    await writeFile(`${folder}${name}-${colorScheme}.png`, image);
    console.log(`${name}-${colorScheme}.png ${Math.round(image.length / 1000)} kB`);
  }
}
