import { existsSync, readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { send, type ToolPlace } from "./to-result.ts";

type Exports = Readonly<Record<string, unknown>>;
type Run = (input: unknown, context: unknown) => unknown;

export interface LoadedTool {
  readonly spec: unknown;
  readonly run?: Run;
  readonly create?: (context: unknown) => unknown;
}

/**
 * Imports the content from its copy under the name that the person knows: imports look beside both, the copy first, and
 * traces of errors name the original. `deckhand` and `zod` are there even where nobody installed them.
 */
export async function loadTool(place: ToolPlace): Promise<LoadedTool> {
  const url = pathToFileURL(place.original).href;
  const source = readSource(place);
  const format = formatOf(place.original, source);
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === url) return { url, format, shortCircuit: true };
      if (specifier === "deckhand") return { url: ownPackage, format: "module", shortCircuit: true };
      const beside = /^\.{1,2}\//.test(specifier) ? new URL(specifier, context.parentURL).href : undefined;
      // Also when the original is gone by now.
      if (beside !== undefined && keptCopyOf(beside, place) !== undefined) return { url: beside, shortCircuit: true };
      try {
        return next(specifier, context);
      } catch (thrown) {
        if (!/^zod($|\/)/.test(specifier)) throw thrown;
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
    load(target, context, next) {
      if (target === url) return { format, source, shortCircuit: true };
      const kept = keptCopyOf(target, place);
      if (kept === undefined) return next(target, context);
      const content = readFileSync(kept, "utf8");
      const typed = isTypeScript(kept) ? "-typescript" : "";
      return { format: formatOf(kept, content) + typed, source: content, shortCircuit: true };
    },
  });
  return findTool((await import(url)) as Exports);
}

/** What the tool imports from its folder was kept with it: the file itself may be another one by now. */
function keptCopyOf(url: string, { copy, original }: ToolPlace): string | undefined {
  if (!url.startsWith("file:")) return undefined;
  const way = relative(dirname(original), fileURLToPath(url));
  const kept = join(dirname(copy), way);
  return way.startsWith("..") || way.startsWith("node_modules") || !existsSync(kept) ? undefined : kept;
}

/** The typed way to write a tool. What it is given is read as it is, so that nothing of the runtime is loaded here. */
const ownPackage = "data:text/javascript,export const defineTool = (tool) => tool;";

/** Without types. They become spaces, so that every line and column stays what it is. */
function readSource({ copy, original, stripped }: ToolPlace): string {
  const text = readFileSync(stripped ?? copy, "utf8");
  if (stripped !== null || !isTypeScript(original)) return text;
  const source = stripTypeScriptTypes(text);
  send({ kind: "stripped", text: source });
  return source;
}

function isTypeScript(name: string): boolean {
  return /\.[cm]?ts$/.test(name);
}

/** By what is written in the file, not by the `package.json` above it: the same content means the same everywhere. */
function formatOf(name: string, source: string): string {
  return /\.m[jt]s$/.test(name) || (!/\.c[jt]s$/.test(name) && !isCommonJs(source)) ? "module" : "commonjs";
}

function isCommonJs(source: string): boolean {
  return !/(?:^|[;}])\s*(?:import|export)\b/m.test(source) && /\b(?:module\.)?exports\b/.test(source);
}

function findTool(exports: Exports): LoadedTool {
  const main = exports["default"] as Exports | undefined;
  const named = [exports, main].find((each) => each?.["TOOL_SPEC"] !== undefined);
  if (named) return withFunctions(named["TOOL_SPEC"], named);
  const defined = [main, exports["tool"] as Exports | undefined].find((each) => typeof each?.["name"] === "string");
  if (defined) return withFunctions(defined, defined);
  return withFunctions(undefined, main ?? exports);
}

function withFunctions(spec: unknown, owner: Exports): LoadedTool {
  const { run, create } = owner as { run?: unknown; create?: unknown };
  return {
    spec,
    ...(typeof run === "function" ? { run: (input, context) => (run as Run).call(owner, input, context) } : {}),
    ...(typeof create === "function"
      ? { create: (context) => (create as (context: unknown) => unknown)(context) }
      : {}),
  };
}
