import type { Route } from "../../../core/call.ts";
import type { RolloutReader, RolloutTransaction } from "../../../core/stores.ts";
import type { LaneName } from "../release/tool-release.ts";
import { addCall, figuresOf, parseCallWindow } from "./call-window.ts";
import type { CallFigures, CountedCall } from "./counted-call.ts";
import { allKinds, placeKind } from "./input-kind.ts";

/** Whose calls are counted together. */
export interface MetricsKey {
  readonly tool: string;
  /** `name@hash`. */
  readonly version: string;
  readonly route: Route;
  readonly lane: LaneName;
  /** As `kindOf` says it. */
  readonly kind: string;
}

export interface FiguresRow extends Omit<MetricsKey, "tool"> {
  readonly lastCalls: CallFigures;
  readonly lastMinutes: CallFigures;
}

/** Counts a call for its kind of input and for all; in constant time, and with ten documents at most for each version, route and lane. */
export function countCall(transaction: RolloutTransaction, key: MetricsKey, call: CountedCall): void {
  const count = (name: string, document: unknown) => {
    const window = parseCallWindow(document);
    addCall(window, call);
    transaction.writeDocument(name, window);
  };
  const folder = folderOf(key);
  const all = folder + allKinds;
  count(all, transaction.readDocument(all));
  if (key.kind === allKinds) return;
  const own = folder + escapePart(key.kind);
  const document = transaction.readDocument(own);
  if (document !== undefined) return count(own, document);
  // Whoever counts has placed the kind already, perhaps, but for another set of calls.
  const known = transaction.listDocuments(folder).flatMap((name) => keyOf(name)?.kind ?? []);
  const placed = folder + escapePart(placeKind(known, key.kind));
  count(placed, transaction.readDocument(placed));
}

/** By lane, route, version and kind; `all` before the kinds. */
export function readFigures(reader: RolloutReader, tool: string, now: number): FiguresRow[] {
  return reader
    .listDocuments(toolFolder(tool))
    .flatMap((name) => {
      const key = keyOf(name);
      if (!key) return [];
      const figures = figuresOf(parseCallWindow(reader.readDocument(name)), now);
      return figures.lastCalls.calls > 0 ? [{ ...key, ...figures }] : [];
    })
    .toSorted((one, other) => compare(orderOf(one), orderOf(other)));
}

/** Forgets what other versions did. */
export function forgetVersions(transaction: RolloutTransaction, tool: string, keep: readonly string[]): void {
  const keys = transaction.listDocuments(toolFolder(tool)).map(keyOf);
  const folders = keys.flatMap((key) => (key && !keep.includes(key.version) ? [folderOf({ ...key, tool })] : []));
  for (const folder of new Set(folders)) transaction.removeDocuments(folder);
}

function folderOf({ tool, lane, route, version }: Omit<MetricsKey, "kind">): string {
  return `${toolFolder(tool)}${lane}/${route}/${escapePart(version)}/`;
}

function toolFolder(tool: string): string {
  return `metrics/${escapePart(tool)}/`;
}

function keyOf(name: string): Omit<MetricsKey, "tool"> | undefined {
  const [, , lane, route, version, kind] = name.split("/");
  if ((lane !== "live" && lane !== "scheduled") || (route !== "stable" && route !== "canary")) return undefined;
  if (version === undefined || kind === undefined) return undefined;
  return { lane, route, version: unescapePart(version), kind: unescapePart(kind) };
}

/** Only what would change the folders: names are read by people, too. */
function escapePart(part: string): string {
  return part.replaceAll("%", "%25").replaceAll("/", "%2F");
}

function unescapePart(part: string): string {
  return part.replaceAll("%2F", "/").replaceAll("%25", "%");
}

function orderOf({ lane, route, version, kind }: FiguresRow): string {
  return [lane, route === "stable" ? 0 : 1, version, kind === allKinds ? "" : kind].join("/");
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
