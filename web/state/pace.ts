/** Calls at once, then at most once in `everyMs`; what comes in between is one call at the end of it. */
export function createPace(everyMs: number, act: () => void): { readonly ask: () => void; readonly stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWanted = false;
  const rest = () => {
    timer = setTimeout(() => {
      timer = undefined;
      if (!isWanted) return;
      isWanted = false;
      rest();
      act();
    }, everyMs);
  };
  return {
    ask() {
      if (timer !== undefined) {
        isWanted = true;
        return;
      }
      rest();
      act();
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
      isWanted = false;
    },
  };
}
