import { UsageError } from "./command.ts";

export interface UnitFacts {
  readonly workdir: string;
  /** Program and arguments, absolute. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** By which we know our own file again, and whose it is. */
export function unitMark(workdir: string): string {
  return `# Made by \`deckhand serve install\` for ${workdir}`;
}

/** What a service of the person's systemd gets of today's environment: where programs and the person's folders are. */
const variables = ["PATH", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"];

export function renderUnit({ workdir, command, env }: UnitFacts): string {
  for (const text of [workdir, ...command]) {
    if (/[\n\r\0]/.test(text)) throw new UsageError("A systemd unit can't name a path with a line end in it.");
  }
  const kept = variables.filter((name) => env[name] !== undefined && env[name] !== "");
  return `${unitMark(workdir)}

[Unit]
Description=Deckhand daemon for ${literal(workdir)}

[Service]
WorkingDirectory=${literal(workdir)}
ExecStart=${command.map((word) => quoted(word).replaceAll("$", "$$$$")).join(" ")}
${kept.map((name) => `Environment=${quoted(`${name}=${env[name]}`)}\n`).join("")}Restart=on-failure
RestartSec=1
KillMode=process
SuccessExitStatus=143
RestartPreventExitStatus=78
TimeoutStopSec=60

[Install]
WantedBy=default.target
`;
}

/** `%` begins a specifier everywhere in a unit. */
function literal(text: string): string {
  return text.replaceAll("%", "%%");
}

function quoted(text: string): string {
  return `"${literal(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
