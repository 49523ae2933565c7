// A part of the build: which modules share a file. Left alone, the bundler makes one of each set of modules that the same
// commands need, which is 60 files for `deckhand run`, and each costs about half a millisecond.
import { globSync } from "node:fs";
import { join } from "node:path";
import type { Rolldown } from "tsdown";

type Graph = Parameters<Extract<Rolldown.CodeSplittingGroup["name"], (...args: never[]) => unknown>>[1];

const source = (path: string): string => join(import.meta.dirname, "..", "src", path);

/** What some need without the rest stays as the bundler makes it: `--help`, `deckhand check`, `deckhand/testing`. */
const apart = [
  "cli/main.ts",
  "cli/commands/mcp/mcp-command.ts",
  "tool-files/rollout/rollout.ts",
  "tool-files/host/child/javascript-host.ts",
  "process/background/log-keeper.ts",
  "watchdog/watchdog-program.ts",
  "guard/path/judge-path.ts",
  "guard/secrets/create-masker.ts",
]
  .map(source)
  .concat(join(import.meta.dirname, "../packages/testing/src/testing.ts"));
/** Each of these is a lazy chunk of its own; what they import is loaded for help as well, without the runtime. */
const areas = globSync(source("cli/commands/*.ts"));
/** In the order in which commands come to need them. */
const groups: readonly { readonly name: string; readonly roots: readonly string[] }[] = [
  { name: "commands", roots: areas },
  { name: "runtime", roots: [source("runtime/create-runtime.ts")] },
  {
    name: "agent",
    roots: [
      source("runtime/open-agent.ts"),
      source("agent/skills/open-skills.ts"),
      source("runtime/open-named-model.ts"),
      source("cli/commands/agent/run-prompt-command.ts"),
    ],
  },
];

/** The name of the file that a module goes to, with all that its root imports and no earlier one does. */
export function groupChunks(module: string, graph: Graph): string | null {
  const isFrom = (root: string): boolean => reachedFrom(root, graph).has(module);
  if (areas.includes(module) || apart.some(isFrom)) return null;
  return groups.find(({ roots }) => roots.some(isFrom))?.name ?? null;
}

const reached = new Map<string, Set<string>>();

/** Lazy imports are not followed. */
function reachedFrom(root: string, graph: Graph): Set<string> {
  let seen = reached.get(root);
  if (!seen) {
    seen = new Set([root]);
    // A set goes on with what is added to it meanwhile.
    for (const each of seen) for (const next of graph.getModuleInfo(each)?.importedIds ?? []) seen.add(next);
    reached.set(root, seen);
  }
  return seen;
}
