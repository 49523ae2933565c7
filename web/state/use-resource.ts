import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { getJson, isAbort, isAway, isSignedOut, sentenceOf } from "../api/request.ts";
import type { Topic } from "../api/types.ts";
import { connection } from "./live.ts";
import { recall, remember } from "./remembered.ts";
import { usualPaceMs, useTopics } from "./use-topics.ts";

export interface Resource<Data> {
  /** What was there last; kept while it is fetched anew. */
  readonly data: Data | undefined;
  /** Why there is none, or no newer one; one sentence. */
  readonly error: string | undefined;
  readonly reload: () => void;
}

interface Following {
  /** Fetched anew when one of these changed. */
  readonly topics?: readonly Topic[];
  /** And this often, for what nobody tells about. */
  readonly everyMs?: number | null;
  /** The least time between two fetches because of a change. */
  readonly paceMs?: number;
}

/** Fetches a document of the API and keeps it fresh. A null path fetches nothing. */
export function useResource<Data>(path: string | null, following: Following = {}): Resource<Data> {
  const { topics = [], everyMs = null, paceMs = usualPaceMs } = following;
  const [state, setState] = useState<{ path: string | null; data: Data | undefined; error: string | undefined }>(
    () => ({
      path,
      data: recall<Data>(path),
      error: undefined,
    }),
  );
  const request = useRef<{ controller: AbortController; again: boolean } | undefined>(undefined);

  const load = useCallback(() => {
    if (path === null) return;
    const running = request.current;
    // One at a time: what changes meanwhile is fetched once more afterwards.
    if (running !== undefined) {
      running.again = true;
      return;
    }
    const mine = { controller: new AbortController(), again: false };
    request.current = mine;
    void getJson<Data>(path, { signal: mine.controller.signal })
      .then((data) => {
        if (request.current !== mine) return;
        remember(path, data);
        setState({ path, data, error: undefined });
      })
      .catch((thrown: unknown) => {
        if (isAbort(thrown) || request.current !== mine) return;
        if (isSignedOut(thrown)) connection.set("signed out");
        // The banner says that the daemon is away; what was there stays.
        else if (!isAway(thrown)) setState({ path, data: undefined, error: sentenceOf(thrown) });
      })
      .finally(() => {
        if (request.current !== mine) return;
        request.current = undefined;
        if (mine.again) load();
      });
  }, [path]);

  useEffect(() => {
    setState((before) => (before.path === path ? before : { path, data: recall<Data>(path), error: undefined }));
    load();
    return () => {
      request.current?.controller.abort();
      request.current = undefined;
    };
  }, [path, load]);

  useTopics(topics, load, paceMs);

  useEffect(() => {
    if (everyMs === null) return undefined;
    const timer = setInterval(load, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, load]);

  const isCurrent = state.path === path;
  return {
    data: isCurrent ? state.data : recall<Data>(path),
    error: isCurrent ? state.error : undefined,
    reload: load,
  };
}
