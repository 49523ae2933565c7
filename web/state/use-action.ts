import { useCallback, useRef, useState } from "preact/hooks";
import { sentenceOf } from "../api/request.ts";
import { announce } from "./announce.ts";

export interface Action {
  readonly isBusy: boolean;
  readonly run: () => void;
}

/** Something a button does. Twice at once is once; what goes wrong is said. `said` is told when it went well. */
export function useAction(act: () => Promise<unknown>, said?: string): Action {
  const [isBusy, setBusy] = useState(false);
  const busy = useRef(false);
  const latest = useRef(act);
  latest.current = act;
  const run = useCallback(() => {
    if (busy.current) return;
    busy.current = true;
    setBusy(true);
    void latest
      .current()
      .then(() => {
        if (said !== undefined) announce(said, "good");
      })
      .catch((thrown: unknown) => announce(sentenceOf(thrown), "bad"))
      .finally(() => {
        busy.current = false;
        setBusy(false);
      });
  }, [said]);
  return { isBusy, run };
}
