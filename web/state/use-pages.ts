import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { withQuery } from "../api/query.ts";
import { getJson, isAbort, isAway, isSignedOut, sentenceOf } from "../api/request.ts";
import type { List, Topic } from "../api/types.ts";
import { mergePages } from "./merge-pages.ts";
import { connection } from "./live.ts";
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

/** A list of the API, newest first: its first page is kept fresh, older ones are fetched when somebody wants them. */
export function usePages<Item extends { readonly id: string }>(
  path: string,
  { topics = [] }: { readonly topics?: readonly Topic[] } = {},
): Pages<Item> {
  const empty: Shown<Item> = { path, items: undefined, next: null, error: undefined, isLoadingMore: false };
  const [shown, setShown] = useState(empty);
  const flight = useRef<{ path: string; again: boolean } | undefined>(undefined);

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
        setShown((before) => {
          const known = before.path === path ? before.items : undefined;
          const merged = mergePages(first, known ?? [], before.next);
          return { path, ...merged, error: undefined, isLoadingMore: before.isLoadingMore };
        });
      })
      .catch((thrown: unknown) => {
        if (flight.current === mine) setShown((before) => ({ ...before, path, error: errorOf(thrown) }));
      })
      .finally(() => {
        if (flight.current !== mine) return;
        flight.current = undefined;
        if (mine.again) reload();
      });
  }, [path]);

  const { next } = shown;
  const loadMore = useCallback(() => {
    if (next === null) return;
    setShown((before) => ({ ...before, isLoadingMore: true }));
    void getJson<List<Item>>(withBefore(path, next))
      .then((older) => {
        setShown((before) => {
          if (before.path !== path || before.next !== next) return { ...before, isLoadingMore: false };
          const known = new Set(before.items?.map(({ id }) => id));
          const items = [...(before.items ?? []), ...older.items.filter(({ id }) => !known.has(id))];
          return { path, items, next: older.next, error: undefined, isLoadingMore: false };
        });
      })
      .catch((thrown: unknown) => {
        setShown((before) => ({ ...before, error: errorOf(thrown), isLoadingMore: false }));
      });
  }, [path, next]);

  useEffect(() => {
    reload();
    return () => void (flight.current = undefined);
  }, [reload]);

  useTopics(topics, reload, usualPaceMs);

  const { items, error, isLoadingMore } = shown.path === path ? shown : empty;
  return { items, error, hasMore: shown.path === path && next !== null, isLoadingMore, loadMore, reload };
}

function errorOf(thrown: unknown): string | undefined {
  if (isSignedOut(thrown)) connection.set("signed out");
  return isAbort(thrown) || isAway(thrown) || isSignedOut(thrown) ? undefined : sentenceOf(thrown);
}

function withBefore(path: string, before: string): string {
  return path.includes("?") ? `${path}&before=${encodeURIComponent(before)}` : withQuery(path, { before });
}
