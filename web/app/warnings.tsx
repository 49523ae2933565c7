import type { Status } from "../api/types.ts";
import { Notice } from "../components/notice.tsx";
import { showControls } from "../format/show-controls.ts";

/** What the daemon wants everybody to know. */
export function Warnings({ status }: { readonly status: Status }) {
  const { safe_mode: isSafeMode, warnings, ready } = status;
  return (
    <>
      {isSafeMode ? (
        <Notice tone="warn">
          Safe mode: after too many crashes only built-in tools and stable versions are used. Fix the tool that crashed,
          then run <kbd>deckhand serve stop</kbd> and <kbd>deckhand serve</kbd>.
        </Notice>
      ) : null}
      {ready || warnings.length > 0 ? null : (
        <Notice>The daemon is still starting: some things are not there yet.</Notice>
      )}
      {warnings.length === 1 ? <Notice tone="warn">{showControls(warnings[0]!)}</Notice> : null}
      {warnings.length < 2 ? null : (
        <details class="notice warn">
          <summary>{`${warnings.length} warnings`}</summary>
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{showControls(warning)}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
