import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import type { ToolPlace } from "./tool-place.ts";

type Exports = Readonly<Record<string, unknown>>;
type Run = (input: unknown, context: unknown) => unknown;

export interface LoadedTool {
  readonly spec: unknown;
  readonly run?: Run;
  readonly create?: (context: unknown) => unknown;
}

/**
 * Imports the content from its copy under the name that the person knows: imports look beside the original, and traces of
 * errors name it. `deckhand` and `zod` are there even where nobody installed them.
 */
export async function loadTool(place: ToolPlace): Promise<LoadedTool> {
  const url = pathToFileURL(place.original).href;
  const source = readFileSync(place.copy, "utf8");
  const format = formatOf(place.original, source);
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === url) return { url, format, shortCircuit: true };
      if (specifier === "deckhand") return { url: ownPackage, format: "module", shortCircuit: true };
      try {
        return next(specifier, context);
      } catch (thrown) {
        if (!/^zod($|\/)/.test(specifier)) throw thrown;
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
    load: (target, context, next) => (target === url ? { format, source, shortCircuit: true } : next(target, context)),
  });
  return findTool((await import(url)) as Exports);
}

/** The typed way to write a tool. What it is given is read as it is, so that nothing of the runtime is loaded here. */
const ownPackage = "data:text/javascript,export const defineTool = (tool) => tool;";

/** By what is written in the file, not by the `package.json` above it: the same content means the same everywhere. */
function formatOf(name: string, source: string): string {
  const typed = /\.[cm]?ts$/.test(name) ? "-typescript" : "";
  const isModule = /\.m[jt]s$/.test(name) || (!/\.c[jt]s$/.test(name) && !isCommonJs(source));
  return (isModule ? "module" : "commonjs") + typed;
}

function isCommonJs(source: string): boolean {
  return !/^\s*(?:import|export)\b/m.test(source) && /\b(?:module\.)?exports\b/.test(source);
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
