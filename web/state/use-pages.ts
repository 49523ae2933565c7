import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { withQuery } from "../api/query.ts";
import { getJson, isAbort, isAway, isSignedOut, sentenceOf } from "../api/request.ts";
import type { List, Topic } from "../api/types.ts";
import { mergePages } from "./merge-pages.ts";
import { connection } from "./live.ts";
import { recall, remember } from "./remembered.ts";
import { usualPaceMs, useTopics } from "./use-topics.ts";

export interface Pages<Item> {
  /** Undefined before the first page is there. */
  readonly items: readonly Item[] | undefined;
  readonly error: string | undefined;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
  readonly reload: () => void;
}

interface Shown<Item> {
  readonly path: string;
  readonly items: readonly Item[] | undefined;
  readonly next: string | null;
  readonly error: string | undefined;
  readonly isLoadingMore: boolean;
}

interface Following {
  /** Fetched anew when one of these changed. */
  readonly topics?: readonly Topic[];
  /** Going back shows it as it was, all its pages. Not for what somebody decides about: that has to be as it is now. */
  readonly isRemembered?: boolean;
}

/** A list of the API, newest first: its first page is kept fresh, older ones are fetched when somebody wants them. */
export function usePages<Item extends { readonly id: string }>(
  path: string,
  { topics = [], isRemembered = false }: Following = {},
): Pages<Item> {
  const [latest, setShown] = useState<Shown<Item> | undefined>(undefined);
  const shown = latest?.path === path ? latest : lastShown<Item>(path, isRemembered);
  const { items, error, isLoadingMore, next } = shown;
  useEffect(() => {
    if (isRemembered && items !== undefined) remember(keyOf(path), { items, next });
  }, [isRemembered, path, items, next]);
  const flight = useRef<{ path: string; again: boolean } | undefined>(undefined);
  const current = useRef(path);
  current.current = path;

  const change = useCallback(
    (act: (before: Shown<Item>) => Shown<Item>) => {
      // An answer to what was asked for before it was narrowed down says nothing of this list.
      if (current.current !== path) return;
      setShown((before) => act(before?.path === path ? before : lastShown<Item>(path, isRemembered)));
    },
    [path, isRemembered],
  );

  const reload = useCallback(() => {
    if (flight.current?.path === path) {
      flight.current.again = true;
      return;
    }
    const mine = { path, again: false };
    flight.current = mine;
    void getJson<List<Item>>(path)
      .then((first) => {
        if (flight.current !== mine) return;
        change((before) => {
          const merged = mergePages(first, before.items ?? [], before.next);
          return { path, ...merged, error: undefined, isLoadingMore: before.isLoadingMore };
        });
      })
      .catch((thrown: unknown) => {
        if (flight.current === mine) change((before) => ({ ...before, error: errorOf(thrown) }));
      })
      .finally(() => {
        if (flight.current !== mine) return;
        flight.current = undefined;
        if (mine.again) reload();
      });
  }, [path, change]);

  const loadMore = useCallback(() => {
    if (next === null) return;
    change((before) => ({ ...before, isLoadingMore: true }));
    void getJson<List<Item>>(withBefore(path, next))
      .then((older) => {
        change((before) => {
          if (before.next !== next) return { ...before, isLoadingMore: false };
          const known = new Set(before.items?.map(({ id }) => id));
          const items = [...(before.items ?? []), ...older.items.filter(({ id }) => !known.has(id))];
          return { path, items, next: older.next, error: undefined, isLoadingMore: false };
        });
      })
      .catch((thrown: unknown) => {
        change((before) => ({ ...before, error: errorOf(thrown), isLoadingMore: false }));
      });
  }, [path, next, change]);

  useEffect(() => {
    reload();
    return () => void (flight.current = undefined);
  }, [reload]);

  useTopics(topics, reload, usualPaceMs);

  return { items, error, hasMore: next !== null, isLoadingMore, loadMore, reload };
}

/** As it was when somebody left it, or empty. */
function lastShown<Item>(path: string, isRemembered: boolean): Shown<Item> {
  const nothing: Shown<Item> = { path, items: undefined, next: null, error: undefined, isLoadingMore: false };
  return isRemembered ? { ...nothing, ...recall<List<Item>>(keyOf(path)) } : nothing;
}

/** Not the path itself: there may be a document of the same one. */
function keyOf(path: string): string {
  return `pages of ${path}`;
}

function errorOf(thrown: unknown): string | undefined {
  if (isSignedOut(thrown)) connection.set("signed out");
  return isAbort(thrown) || isAway(thrown) || isSignedOut(thrown) ? undefined : sentenceOf(thrown);
}

function withBefore(path: string, before: string): string {
  return path.includes("?") ? `${path}&before=${encodeURIComponent(before)}` : withQuery(path, { before });
}
