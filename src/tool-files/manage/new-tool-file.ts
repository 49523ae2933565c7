import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { locateFolders } from "../../config/folders.ts";
import { userName } from "../../config/user-name.ts";
import { RuntimeError } from "../../core/errors.ts";
import type { Environment } from "../../core/process.ts";
import { createCatalog } from "../../engine/catalog.ts";
import { isBroughtAlong, readToolFolder } from "../../permissions/trust/open-trust.ts";
import { openTrust } from "../../permissions/trust/trust.ts";

export interface NewToolFile {
  /** Relative to the workdir: the tool, then its test. */
  readonly files: readonly string[];
  /** An input that works. */
  readonly input: string;
  /** A command that runs the test, from the workdir. */
  readonly test: string;
}

/** Writes a tool that works and a test of it. Replaces nothing. What it writes is trusted: the person just ordered it. */
export function writeNewToolFile(options: {
  readonly workdir: string;
  readonly env: Environment;
  readonly name: string;
  readonly language: TemplateLanguage;
}): NewToolFile {
  const { name } = options;
  if (!/^[a-z][a-z0-9_]{0,59}$/.test(name)) {
    throw invalid(`A tool's name has small letters, digits and "_", and begins with a letter; got "${name}".`);
  }
  const builtin = createCatalog([]).canonicalName(name);
  if (builtin !== undefined) throw invalid(`"${name}" is a name of the built-in tool ${builtin}; choose another one.`);
  const folders = locateFolders(options.workdir, options.env);
  const toolFolder = readToolFolder(folders, options.env);
  const template = createToolTemplate(name, options.language);
  const files = template.files.map((file) => ({ ...file, shown: join(toolFolder, file.name) }));
  const taken = files.find(({ shown }) => existsSync(join(folders.workdir, shown)));
  if (taken) throw invalid(`${taken.shown} is already there; choose another name, or remove it first.`);
  mkdirSync(join(folders.workdir, toolFolder), { recursive: true });
  for (const { shown, content } of files) writeFileSync(join(folders.workdir, shown), content, { flag: "wx" });
  const toolFolders = isBroughtAlong(toolFolder) ? [toolFolder] : [];
  const trust = openTrust({ workdir: folders.workdir, path: folders.trust, toolFolders, now: Date.now });
  const shown = files.map((file) => file.shown);
  if (toolFolders.length > 0) trust.grant(userName(), shown);
  return { files: shown, input: template.input, test: `cd ${toolFolder} && ${template.test.join(" ")}` };
}

function invalid(message: string): RuntimeError {
  return new RuntimeError("INVALID_TOOL", message);
}

/** A file to begin with. */
export interface TemplateFile {
  readonly name: string;
  readonly content: string;
}

type TemplateLanguage = "ts" | "js" | "py";

export interface ToolTemplate {
  /** The tool first, then its test. */
  readonly files: readonly [TemplateFile, TemplateFile];
  /** An input that works. */
  readonly input: string;
  /** The words that run the test, in the folder of tools. */
  readonly test: readonly string[];
}

/** A tool that works, and a test of it that passes: something to change rather than to fill in. */
function createToolTemplate(name: string, language: TemplateLanguage): ToolTemplate {
  const input = '{"text": "hello"}';
  if (language === "py") {
    return {
      files: [
        { name: `${name}.py`, content: pythonTool(name) },
        { name: `test_${name}.py`, content: pythonTest(name) },
      ],
      input,
      test: ["python3", "-m", "unittest", `test_${name}`],
    };
  }
  return {
    files: [
      { name: `${name}.${language}`, content: scriptTool(name, language) },
      { name: `${name}.test.${language}`, content: scriptTest(name, language) },
    ],
    input,
    test: ["node", "--test", `${name}.test.${language}`],
  };
}

function scriptTool(name: string, language: "ts" | "js"): string {
  const isTyped = language === "ts";
  return `export const TOOL_SPEC = {
  name: "${name}",
  description: "Count the words and letters of a text.",
  input_schema: {
    type: "object",
    properties: {
      text: { type: "string", description: "The text to count in" },
    },
    required: ["text"],
    additionalProperties: false,
  },
  // What is left out here is taken to be the worst: without this line the tool counts as one that changes things.
  traits: { read_only: true },
  cases: [{ name: "a word", input: { text: "hello" }, expect: "1 word" }],
};
${
  isTyped
    ? `
interface Context {
  /** The folder the tool works in. */
  workdir: string;
  /** Fires when the call is to stop. */
  signal: AbortSignal;
  /** Shows that it is alive, and how far it is. */
  progress(update: { message?: string; done?: number; total?: number }): void;
}
`
    : ""
}
export async function run({ text }${isTyped ? ": { text: string }" : ""}, _context${isTyped ? ": Context" : ""}) {
  const words = text.split(/\\s+/).filter(Boolean).length;
  return { ok: true, output: \`\${words} \${words === 1 ? "word" : "words"}, \${[...text].length} letters\` };
}
`;
}

function scriptTest(name: string, language: "ts" | "js"): string {
  const given = language === "ts" ? "{} as never" : "{}";
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "./${name}.${language}";

test("words are counted", async () => {
  assert.deepEqual(await run({ text: "hello big world" }, ${given}), { ok: true, output: "3 words, 15 letters" });
});
`;
}

function pythonTool(name: string): string {
  return `TOOL_SPEC = {
    "name": "${name}",
    "description": "Count the words and letters of a text.",
    "input_schema": {
        "type": "object",
        "properties": {"text": {"type": "string", "description": "The text to count in"}},
        "required": ["text"],
        "additionalProperties": False,
    },
    # What is left out here is taken to be the worst: without this line the tool counts as one that changes things.
    "traits": {"read_only": True},
    "cases": [{"name": "a word", "input": {"text": "hello"}, "expect": "1 word"}],
}


def run(input_data, context):
    text = input_data["text"]
    words = len(text.split())
    return {"ok": True, "output": f"{words} {'word' if words == 1 else 'words'}, {len(text)} letters"}
`;
}

function pythonTest(name: string): string {
  return `import unittest

from ${name} import run


class ${name
    .split("_")
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("")}Test(unittest.TestCase):
    def test_words_are_counted(self):
        self.assertEqual(run({"text": "hello big world"}, None), {"ok": True, "output": "3 words, 15 letters"})


if __name__ == "__main__":
    unittest.main()
`;
}
