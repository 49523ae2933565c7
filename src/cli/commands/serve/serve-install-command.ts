import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { passwordsInAddress } from "../../../config/passwords-in-address.ts";
import { codeOf } from "../../../core/errors.ts";
import { ownCommand } from "../../../process/own-command.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { serveArguments } from "../watchdog/watchdog-command.ts";
import { lookForDaemon } from "./serve-client.ts";
import { readPlace } from "./serve-place.ts";

/** `deckhand serve install`: a service of the person's own systemd. Nothing is started. */
export async function runServeInstall(invocation: Invocation, terminal: Terminal): Promise<number> {
  const unit = locate(invocation, terminal);
  const command = [...ownCommand(), "serve", ...serveFlags(unit, invocation)];
  const text = renderUnit({ ...unit, command, isWatched: invocation.has("watchdog"), env: terminal.env });
  if (invocation.has("print")) {
    terminal.print(text);
    return exitCode.done;
  }
  const found = read(unit.path);
  refuseForeign(unit, found);
  if (found !== text) {
    mkdirSync(dirname(unit.path), { recursive: true });
    writeFileSync(unit.path, text, { mode: 0o600 });
  }
  if (invocation.has("json")) terminal.printJson({ path: unit.path, service: unit.service, changed: found !== text });
  else
    terminal.print(
      describe(unit, found === null ? "was written" : found === text ? "is as it should be" : "was renewed"),
    );
  return exitCode.done;
}

/** `deckhand serve uninstall` */
export async function runServeUninstall(invocation: Invocation, terminal: Terminal): Promise<number> {
  const unit = locate(invocation, terminal);
  const found = read(unit.path);
  refuseForeign(unit, found);
  if (found !== null) rmSync(unit.path, { force: true });
  if (invocation.has("json")) terminal.printJson({ path: unit.path, service: unit.service, removed: found !== null });
  else if (found === null) terminal.tell(`There is no ${unit.path}.`);
  else
    terminal.print(
      `${unit.path} was removed. If it runs:\n  systemctl --user disable --now ${unit.service}\n  systemctl --user daemon-reload\n`,
    );
  return found === null ? exitCode.failed : exitCode.done;
}

function serveFlags({ workdir }: UnitPlace, invocation: Invocation): string[] {
  readPlace(invocation);
  for (const address of invocation.values("store")) refusePassword(address);
  return [...(invocation.has("watchdog") ? ["--watchdog"] : []), "--workdir", workdir, ...serveArguments(invocation)];
}

/** Everybody on the machine sees the command line of a service. */
function refusePassword(address: string): void {
  if (passwordsInAddress(address).length === 0) return;
  throw new UsageError(
    "The --store URL has a password, which would stand in the unit and be seen in the list of processes: leave --store out, and set DECKHAND_STORE_URL in an EnvironmentFile= of yours (systemctl --user edit).",
  );
}

interface UnitPlace {
  readonly workdir: string;
  readonly service: string;
  readonly path: string;
}

function locate(invocation: Invocation, terminal: Terminal): UnitPlace {
  const { env } = terminal;
  const { workdir } = lookForDaemon(invocation, terminal).folders;
  const given = invocation.value("name");
  if (given !== undefined && !/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(given)) {
    throw new UsageError(`--name takes up to 64 letters, digits, "-", "_" and "."; got "${given}".`);
  }
  const name =
    given ??
    (basename(workdir)
      .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
      .replace(/^-+/, "")
      .slice(0, 64) ||
      "workdir");
  const service = `deckhand-${name}.service`;
  const config = env["XDG_CONFIG_HOME"];
  const home = config && isAbsolute(config) ? config : join(env["HOME"] || homedir(), ".config");
  return { workdir, service, path: join(home, "systemd", "user", service) };
}

function refuseForeign({ path, workdir }: UnitPlace, found: string | null): void {
  if (found === null || found.startsWith(`${unitMark(workdir)}\n`)) return;
  throw new UsageError(
    `${path} is there and was not made for ${workdir}; choose another name with --name, or remove it.`,
  );
}

function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return null;
    throw thrown;
  }
}

function describe({ path, service }: UnitPlace, what: string): string {
  return `${path} ${what}.
  systemctl --user daemon-reload
  systemctl --user enable --now ${service}     starts it now and whenever you log in
  loginctl enable-linger                       also while you are not logged in
  journalctl --user -u ${service}              what it prints
Keys of models are not in it: systemctl --user edit ${service} adds an EnvironmentFile= of yours.
`;
}

export interface UnitFacts {
  readonly workdir: string;
  /** Program and arguments, absolute. */
  readonly command: readonly string[];
  /** It is the watchdog that systemd starts, not the daemon. */
  readonly isWatched: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** By which we know our own file again, and whose it is. */
function unitMark(workdir: string): string {
  return `# Made by \`deckhand serve install\` for ${workdir}`;
}

/** What a service of the person's systemd gets of today's environment: where programs and the person's folders are. */
const variables = ["PATH", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"];

function renderUnit({ workdir, command, isWatched, env }: UnitFacts): string {
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
