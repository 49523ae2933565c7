import { createRuntime } from "../src/runtime/create-runtime.ts";
import { openBrowser } from "../test/browser/support/chromium.ts";
import { openServedMachine } from "../test/browser/support/served-machine.ts";
import { openPage } from "../test/browser/support/watched-page.ts";
import type { Machine } from "../test/cli/run-deckhand.ts";
import type { Bench } from "./bench.ts";
import { nothingSafe } from "./support.ts";

const executions = 100_000;
const visits = 5;
const pages = [
  ["/", "Calls that ended"],
  ["/log", "Lines of the log"],
] as const;

/** From the visit to the first row, in a browser: of the slower page the quickest of some visits. */
async function readableMilliseconds(): Promise<number> {
  const hooks: (() => Promise<void>)[] = [];
  const context = { after: (hook: () => Promise<void>) => void hooks.push(hook) };
  try {
    const machine = await openServedMachine(context, fill);
    const { page } = await openPage(await openBrowser(context), machine.origin);
    await page.goto(await machine.loginLink("/tools"));
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    const figures: number[] = [];
    for (const [path, name] of pages) {
      let quickest = Number.POSITIVE_INFINITY;
      for (let visit = 0; visit < visits; visit++) {
        await page.goto(`${machine.origin}${path}`);
        await page.getByRole("list", { name }).getByRole("listitem").first().waitFor();
        quickest = Math.min(quickest, await page.evaluate<number>("performance.now()"));
      }
      figures.push(quickest);
    }
    return Math.max(...figures);
  } finally {
    for (const hook of hooks.toReversed()) await hook();
  }
}

/** Calls that really ran: in the store, and each with its lines in the log. */
async function fill({ workdir, env }: Machine): Promise<void> {
  const runtime = await createRuntime({ workdir, env, tools: [nothingSafe], builtins: false });
  for (let n = 0; n < executions; n += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => runtime.call("nothing", { n: n + index })));
  }
  await runtime.close();
}

export const benches: readonly Bench[] = [
  {
    name: "dashboard: Now and Log are readable with 100,000 executions stored",
    unit: "ms",
    budget: 1000,
    rounds: 1,
    measure: readableMilliseconds,
  },
];
