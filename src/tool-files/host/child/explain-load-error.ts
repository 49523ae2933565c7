import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { pathToFileURL } from "node:url";
import type { FileProblem } from "../tool-host.ts";
import { messageOf } from "../../../core/errors.ts";
import type { ToolPlace } from "./tool-place.ts";

/** Why the file could not be imported, where, and what to do. */
export function explainLoadError(thrown: unknown, place: ToolPlace): FileProblem {
  const message = messageOf(thrown)
    .split("\n")[0]!
    .replace(/ imported from .*/, "");
  const isSyntax = (thrown as { name?: unknown } | null)?.name === "SyntaxError";
  const line = lineIn(thrown, place.original) ?? (isSyntax ? findSyntaxError(place) : findImport(message, place));
  return { message: isSyntax ? `Syntax error: ${message}` : message, line, hint: hintFor(message, place) };
}

/** The first line of the trace that lies in the file. */
function lineIn(thrown: unknown, path: string): number | null {
  const { stack } = Object(thrown) as { readonly stack?: unknown };
  if (typeof stack !== "string") return null;
  // A name with spaces or letters of other scripts stands there as a URL writes it.
  for (const written of [path, pathToFileURL(path).href]) {
    const at = stack.indexOf(`${written}:`);
    if (at >= 0) return Number.parseInt(stack.slice(at + written.length + 1), 10) || null;
  }
  return null;
}

/** Node does not tell where a module of plain JavaScript is wrong; the parser for types does. */
function findSyntaxError(place: ToolPlace): number | null {
  try {
    stripTypeScriptTypes(readFileSync(place.copy, "utf8"), { sourceUrl: place.original });
    return null;
  } catch (thrown) {
    const line = /:(\d+)\n/.exec(String((thrown as Error).stack))?.[1];
    return line === undefined ? null : Number(line);
  }
}

/** Where something is imported that is not there. */
function findImport(message: string, { copy }: ToolPlace): number | null {
  const wanted = /^Cannot find (?:package|module) '(?:.*\/)?([^'/]+)'/.exec(message)?.[1];
  if (wanted === undefined) return null;
  const lines = readFileSync(copy, "utf8").split("\n");
  const index = lines.findIndex((each) => /\b(?:import|from|require)\b/.test(each) && each.includes(wanted));
  return index < 0 ? null : index + 1;
}

function hintFor(message: string, { original }: ToolPlace): string | null {
  for (const [pattern, hint] of hints) {
    const match = pattern.exec(message);
    if (match) return hint(match[1] ?? "", original);
  }
  return null;
}

type Hint = (name: string, path: string) => string;

const hints: readonly (readonly [RegExp, Hint])[] = [
  [
    /TypeScript enum/,
    () => 'Write `const Color = { red: "red" } as const` instead: types are removed, and an enum is more than a type.',
  ],
  [
    /TypeScript (?:namespace|module)/,
    () =>
      "Export functions and constants instead of a namespace: types are removed, and a namespace is more than a type.",
  ],
  [/TypeScript parameter property/, () => "Declare the field in the class and assign it in the constructor."],
  [/TypeScript import equals|import =/, () => 'Write `import name from "package"` instead.'],
  [
    /[Dd]ecorators? (?:are|is) not|Invalid or unexpected token '@'/,
    () => "Decorators can't be used: call the function instead.",
  ],
  [
    /module 'deckhand' does not provide an export named '(.+)'/,
    (name) =>
      `Inside a tool file the package "deckhand" has defineTool only; write \`import type\` if ${name} is a type.`,
  ],
  [
    /provide an export named '(.+)'/,
    (name) => `Write \`import type { ${name} }\` if it is a type; otherwise check its name.`,
  ],
  [
    /Cannot find package '([^']+)'/,
    (name) => `Run \`npm install ${name}\` in the workdir, or write the tool without it.`,
  ],
  [
    /Cannot find module '([^']+)'/,
    () => 'Check the path, and write it with its ending: `import { x } from "./helper.ts"`.',
  ],
  [/(?:require|module|exports) is not defined/, () => "Use import and export, or name the file .cjs."],
];
