import { useEffect, useState } from "preact/hooks";
import { announcement, type Announcement } from "../state/announce.ts";
import { useStore } from "../state/store.ts";

const shownMs = 5000;

/** The last thing that happened, for eyes and for screen readers. */
export function Announcer() {
  const latest = useStore(announcement);
  const [gone, setGone] = useState<Announcement | null>(null);
  useEffect(() => {
    if (latest === null) return undefined;
    const timer = setTimeout(() => setGone(latest), latest.tone === "bad" ? shownMs * 2 : shownMs);
    return () => clearTimeout(timer);
  }, [latest]);
  const isShown = latest !== null && latest !== gone;
  return (
    <div class="announcer" role="status" aria-live="polite">
      {isShown ? (
        <p key={latest.number} class={`toast ${latest.tone}`}>
          {latest.text}
        </p>
      ) : null}
    </div>
  );
}
