import { useState } from "preact/hooks";
import { navigate, place } from "../router/location.ts";
import { connection } from "../state/live.ts";
import { useShortcut } from "../state/shortcuts.ts";
import { StatusContext } from "../state/status.ts";
import { useStore } from "../state/store.ts";
import { useResource } from "../state/use-resource.ts";
import type { Status } from "../api/types.ts";
import { Announcer } from "./announcer.tsx";
import { CurrentPage } from "./current-page.tsx";
import { KeyboardHelp } from "./keyboard-help.tsx";
import { Navigation } from "./navigation.tsx";
import { areas } from "./routes.tsx";
import { useTellWaiting } from "./use-tell-waiting.ts";
import { Warnings } from "./warnings.tsx";

/** What is around every page: navigation, what the daemon has to say, the page itself. */
export function Shell() {
  const { path } = useStore(place);
  const state = useStore(connection);
  const { data: status } = useResource<Status>("/api/status", {
    topics: ["calls", "tasks", "rollouts", "jobs", "inbox"],
    // A disk that is full is no event.
    everyMs: 10_000,
  });
  useTellWaiting(status?.counts.waiting_inbox);
  const [isHelping, setHelping] = useState(false);
  useShortcut("?", () => setHelping(true));
  return (
    <StatusContext.Provider value={status}>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      {areas.map(({ key, href }) => (
        <GoTo key={key} keys={`g ${key}`} href={href} />
      ))}
      <div class="shell">
        <Navigation path={path} status={status} onHelp={() => setHelping(true)} />
        <main id="main" tabIndex={-1}>
          <div class="banner-place" role="status">
            {state === "away" ? <p class="banner">Reconnecting… What is shown may be old.</p> : null}
          </div>
          {status === undefined ? null : <Warnings status={status} />}
          <CurrentPage path={path} />
        </main>
      </div>
      <Announcer />
      {isHelping ? <KeyboardHelp onClose={() => setHelping(false)} /> : null}
    </StatusContext.Provider>
  );
}

function GoTo({ keys, href }: { readonly keys: string; readonly href: string }) {
  useShortcut(keys, () => navigate(href));
  return null;
}
