import { UsageError } from "../../parser/command.ts";

export interface UnitFacts {
  readonly workdir: string;
  /** Program and arguments, absolute. */
  readonly command: readonly string[];
  /** It is the watchdog that systemd starts, not the daemon. */
  readonly isWatched: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** By which we know our own file again, and whose it is. */
export function unitMark(workdir: string): string {
  return `# Made by \`deckhand serve install\` for ${workdir}`;
}

/** What a service of the person's systemd gets of today's environment: where programs and the person's folders are. */
const variables = ["PATH", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"];

export function renderUnit({ workdir, command, isWatched, env }: UnitFacts): string {
  for (const text of [workdir, ...command]) {
    if (/[\n\r\0]/.test(text)) throw new UsageError("A systemd unit can't name a path with a line end in it.");
  }
  if (/[\s\\]$/.test(workdir)) {
    throw new UsageError(`A systemd unit can't name a folder that ends in white space or a backslash: "${workdir}".`);
  }
  const kept = variables.filter((name) => env[name] !== undefined && env[name] !== "");
  return `${unitMark(workdir)}

[Unit]
Description=Deckhand daemon for ${literal(workdir)}

[Service]
WorkingDirectory=${literal(workdir)}
ExecStart=${command.map((word) => quoted(word).replaceAll("$", "$$$$")).join(" ")}
${kept.map((name) => `Environment=${quoted(`${name}=${env[name]}`)}\n`).join("")}${isWatched ? watchdogRestarts : daemonRestarts}
RestartSec=1
KillMode=process
SuccessExitStatus=143
TimeoutStopSec=60

[Install]
WantedBy=default.target
`;
}

/** Wrong use (2) and a wrong configuration (78) would be the same after a restart. */
const daemonRestarts = "Restart=on-failure\nRestartPreventExitStatus=2 78";
/** Whatever code the watchdog ends with, it has decided to end; only when it was killed somebody has to start it again. */
const watchdogRestarts = "Restart=on-abnormal";

/** `%` begins a specifier everywhere in a unit. */
function literal(text: string): string {
  return text.replaceAll("%", "%%");
}

function quoted(text: string): string {
  return `"${literal(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
