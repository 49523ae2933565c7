import type { BrowserContextOptions } from "playwright-core";
import type { Machine } from "../../cli/run-deckhand.ts";
import { shareBrowser } from "./shared-browser.ts";
import { openServedMachine, type ServedMachine } from "./served-machine.ts";
import { openPage, type WatchedPage } from "./watched-page.ts";

export interface Dashboard extends WatchedPage {
  readonly machine: ServedMachine;
  /** Another browser profile, signed in as well. */
  readonly openOther: (path: string, options?: BrowserContextOptions) => Promise<WatchedPage>;
}

interface Opening {
  /** Before the daemon starts. */
  readonly prepare?: (machine: Machine) => Promise<void>;
  readonly path?: string;
  readonly options?: BrowserContextOptions;
  readonly kind?: "owner" | "looking";
}

/** A daemon on a machine of its own, and a browser that is signed in to it. */
export async function openDashboard(
  t: { after(hook: () => Promise<void>): void },
  { prepare, path = "/", options, kind = "owner" }: Opening = {},
): Promise<Dashboard> {
  const machine = await openServedMachine(t, prepare);
  const browser = await shareBrowser(t);
  const openOther = async (there: string, others?: BrowserContextOptions): Promise<WatchedPage> => {
    const opened = await openPage(browser, machine.origin, others);
    await opened.page.goto(await machine.loginLink(there, kind));
    await opened.page.getByRole("navigation", { name: "Pages" }).waitFor();
    return opened;
  };
  return { machine, openOther, ...(await openOther(path, options)) };
}
