import {
  createTrust,
  type WaitingDefinition,
  type WaitingFile,
  type WorkdirTrust,
} from "../../../permissions/trust/open-trust.ts";
import { userName } from "../../../config/user-name.ts";
import { readLine } from "../../terminal/read-line.ts";
import { neutralizeText, styleDiff } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** What a person has not trusted or approved yet. */
export interface Waiting {
  readonly files: readonly { readonly path: string; readonly status: "new" | "changed" }[];
  readonly quarantined: readonly WaitingFile[];
  readonly definitions: readonly WaitingDefinition[];
}

export function isNothing({ files, quarantined, definitions }: Waiting): boolean {
  return files.length + quarantined.length + definitions.length === 0;
}

/** All that waits in this folder; only these paths where some are named. */
export function findWaiting(trust: WorkdirTrust, named: readonly string[] = []): Waiting {
  const isMeant = ({ path }: { readonly path: string }): boolean => named.length === 0 || named.includes(path);
  return {
    files: trust
      .files()
      .flatMap(({ path, status }) => (status === "trusted" ? [] : [{ path, status }]))
      .filter(isMeant),
    quarantined: trust.quarantined().filter(isMeant),
    definitions: trust.definitions().filter(isMeant),
  };
}

/** Whole files, and the changes of held ones, as lines for a terminal. */
export function renderWaiting(
  trust: WorkdirTrust,
  { files, quarantined, definitions }: Waiting,
  { style, maxLines }: { readonly style: Terminal["styleError"]; readonly maxLines: number },
): string {
  const widening = files.some(({ path }) => path === "deckhand.json") ? trust.widening() : [];
  return [
    ...files.flatMap(({ path, status }) => [
      style("bold", neutralizeText(`${path} (${status})`)),
      excerpt(trust.read(path) ?? "(can't be read)", maxLines),
    ]),
    ...(widening.length > 0 ? [`deckhand.json would then count with: ${widening.join(", ")}.`] : []),
    ...[...quarantined, ...definitions].flatMap(({ path, diff, reason }) => [
      neutralizeText(`${path}: ${reason}.`),
      styleDiff(neutralizeText(diff), style),
    ]),
  ].join("\n");
}

/** Trusts exactly what was shown; returns the paths. */
export function grantWaiting(trust: WorkdirTrust, { files, quarantined, definitions }: Waiting): string[] {
  trust.grant(userName(), { files: files.map(({ path }) => path), quarantined, definitions });
  return [...new Set([...files, ...quarantined, ...definitions].map(({ path }) => path))];
}

/**
 * Asks in place whether the tool files that wait here are trusted, and shows them. Asks nothing without a terminal, inside a call of
 * a tool, or once the person declined these very contents.
 */
export async function offerTrust(workdir: string, terminal: Terminal): Promise<void> {
  if (!terminal.isInteractive || terminal.env["DECKHAND_EXECUTION"] !== undefined) return;
  const trust = createTrust(workdir, terminal.env);
  const waiting = findWaiting(trust);
  const tools = waiting.files.filter(({ path }) => trust.isToolFile(path)).length;
  if (tools + waiting.quarantined.length + waiting.definitions.length === 0 || trust.isDeclined(waiting)) return;
  terminal.show(renderWaiting(trust, waiting, { style: terminal.styleError, maxLines: 20 }));
  const question = "Trust this folder? The files above can run code or widen what is allowed. [y/N] ";
  const typed = await readLine(terminal, question, new AbortController().signal);
  if (typed !== null && /^y(es)?$/i.test(typed.trim())) {
    terminal.tell(`Trusted: ${grantWaiting(trust, waiting).join(", ")}.`);
    return;
  }
  trust.decline(waiting);
  terminal.tell("Nothing was trusted, so these files are not used. `deckhand trust` asks again.");
}

/** Enough to know what it is; the rest is for an editor. */
function excerpt(text: string, maxLines: number): string {
  const lines = neutralizeText(text).trimEnd().split("\n");
  const more = lines.length - maxLines;
  return [...lines.slice(0, maxLines), ...(more > 0 ? [`… ${more} more lines`] : [])]
    .map((line) => `  ${line}`)
    .join("\n");
}
