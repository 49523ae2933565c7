import type { Clock } from "../../core/clock.ts";

/** A page as it is shown. */
export interface Page {
  /** Where it came from at last. */
  readonly url: string;
  readonly askedUrl: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly title: string | null;
  readonly text: string;
}

interface Wanted {
  readonly url: string;
  readonly format?: string | undefined;
}

const mostPages = 4;
const longestMs = 15 * 60_000;

/** The last few pages, so that the second part of one fits the first although the server may say something else by now. */
export function createPageMemory(clock: Clock): {
  find(wanted: Wanted): Page | undefined;
  keep(wanted: Wanted, page: Page): void;
} {
  const pages = new Map<string, { readonly page: Page; readonly at: number }>();
  return {
    find(wanted) {
      const kept = pages.get(keyOf(wanted));
      return kept !== undefined && clock.monotonic() - kept.at <= longestMs ? kept.page : undefined;
    },
    keep(wanted, page) {
      const key = keyOf(wanted);
      if (pages.get(key)?.page === page) return;
      pages.delete(key);
      pages.set(key, { page, at: clock.monotonic() });
      for (const oldest of [...pages.keys()].slice(0, -mostPages)) pages.delete(oldest);
    },
  };
}

function keyOf({ url, format = "markdown" }: Wanted): string {
  return `${format} ${url}`;
}
