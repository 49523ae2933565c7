import type { Status } from "../api/types.ts";
import { postJson } from "../api/request.ts";
import { Button } from "../components/button.tsx";
import { Icon } from "../components/icon.tsx";
import { Link } from "../router/link.tsx";
import { connection } from "../state/live.ts";
import { useStore } from "../state/store.ts";
import { chooseTheme, theme, type Theme } from "../state/theme.ts";
import { useAction } from "../state/use-action.ts";
import { Brand } from "./brand.tsx";
import { areaOf } from "./current-page.tsx";
import { areas } from "./routes.tsx";

interface NavigationProps {
  readonly path: string;
  readonly status: Status | undefined;
  readonly onHelp: () => void;
}

export function Navigation({ path, status, onHelp }: NavigationProps) {
  const area = areaOf(path);
  return (
    <header class="side">
      <Link href="/" class="home" label="Deckhand: what runs now">
        <Brand />
      </Link>
      <nav aria-label="Pages">
        <ul class="areas">
          {areas.map(({ name, href, icon }) => (
            <li key={href}>
              <Link href={href} class="area" current={area === href}>
                <Icon name={icon} />
                <span class="area-name">{name}</span>
                <AreaCount count={countFor(href, status)} isUrgent={href === "/inbox"} />
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div class="side-foot">
        <Workplace status={status} />
        <div class="side-buttons">
          <ThemeSwitch />
          <Button kind="quiet" label="Keyboard shortcuts" title="Keyboard shortcuts (?)" onClick={onHelp}>
            <Icon name="question" />
          </Button>
          <SignOut />
        </div>
      </div>
    </header>
  );
}

function AreaCount({
  count,
  isUrgent,
}: {
  readonly count: { number: number; words: string };
  readonly isUrgent: boolean;
}) {
  if (count.number === 0) return null;
  return (
    <span class={isUrgent ? "count urgent" : "count"}>
      <span aria-hidden="true">{count.number > 99 ? "99+" : count.number}</span>
      <span class="visually-hidden">{` (${count.words})`}</span>
    </span>
  );
}

function countFor(href: string, status: Status | undefined): { number: number; words: string } {
  const counts = status?.counts;
  const number =
    {
      "/": counts?.running_calls,
      "/tasks": counts?.running_tasks,
      "/inbox": counts?.waiting_inbox,
      "/rollouts": counts?.active_rollouts,
    }[href] ?? 0;
  const word = { "/inbox": "waiting for you", "/rollouts": "under way" }[href] ?? "running";
  return { number, words: `${number} ${word}` };
}

/** Where it works, and whether it is there. */
function Workplace({ status }: { readonly status: Status | undefined }) {
  const state = useStore(connection);
  const folder = status?.workdir.split("/").findLast((part) => part !== "");
  return (
    <p class="workplace" title={status?.workdir}>
      <span class={`lamp ${state === "open" ? "good" : "warn"}`} aria-hidden="true" />
      <span class="workplace-name">{folder ?? "…"}</span>
      <span class="muted">{status === undefined ? "" : status.version}</span>
    </p>
  );
}

const nextTheme: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" };
const themeIcons = { system: "system", light: "sun", dark: "moon" } as const;

function ThemeSwitch() {
  const current = useStore(theme);
  const label = `Theme: ${current === "system" ? "as the system" : current}. Switch to ${nextTheme[current]}`;
  return (
    <Button kind="quiet" label={label} title={label} onClick={() => chooseTheme(nextTheme[current])}>
      <Icon name={themeIcons[current]} />
    </Button>
  );
}

function SignOut() {
  const action = useAction(async () => {
    await postJson("/api/logout");
    connection.set("signed out");
  });
  return (
    <Button kind="quiet" label="Sign out" title="Sign out" isBusy={action.isBusy} onClick={action.run}>
      <Icon name="out" />
    </Button>
  );
}
