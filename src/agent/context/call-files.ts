import type { CallPart } from "../../core/message.ts";

/** The files that a call names: the paths of its input, and what looks like a path in a command. */
export function filesOfCall({ inputText }: CallPart): readonly string[] {
  let input: unknown;
  try {
    input = JSON.parse(inputText);
  } catch {
    // Arguments that are not JSON never ran.
    return [];
  }
  const files = new Set<string>();
  collect(input, files, 0);
  return [...files].slice(0, mostFiles);
}

const mostFiles = 20;
const deepest = 4;
const maxPath = 300;

/** Also inside the call of a bridge, whose input holds another tool's. */
function collect(value: unknown, files: Set<string>, depth: number): void {
  if (typeof value !== "object" || value === null || depth > deepest) return;
  for (const [key, held] of Object.entries(value)) {
    if (typeof held !== "string") collect(held, files, depth + 1);
    else if (pathKey.test(key)) addPath(held, files);
    else if (commandKey.test(key))
      for (const path of held.slice(0, 4_000).match(pathInCommand) ?? []) addPath(path, files);
  }
}

function addPath(path: string, files: Set<string>): void {
  if (path !== "" && path !== "." && path.length <= maxPath) files.add(path);
}

const pathKey = /^(?:file_?path|path|file|filename|notebook_path|target|source|destination)$/i;
const commandKey = /^(?:command|cmd|script|code)$/i;
/** With a folder or an extension; not a flag, an address or a version. */
const pathInCommand =
  /(?<![\w:/.@$-])(?:~\/|\.{0,2}\/)?(?:[\w.@+-]+\/)+[\w.@+-]*[\w]|(?<![\w:/.@$-])[\w@+][\w@+-]*\.(?:[cm]?[jt]sx?|json[cl]?|md|txt|py|rs|go|java|kt|rb|php|c|h|cc|cpp|hpp|cs|sh|ya?ml|toml|ini|cfg|conf|env|html?|s?css|sql|xml|csv|lock|log|swift|vue|svelte|proto|graphql|gradle|tf)(?![\w/])/g;
