import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Runtime, RuntimeConfig } from "deckhand";
import { openCommand, openLibrary, type Command, type CommandOptions, type Json, type Scope } from "./seed-support.ts";

/** The example of the source document. */
export const echoPython = `TOOL_SPEC = {
    "name": "echo_tool",
    "description": "Return a text, as it is or in capitals.",
    "input_schema": {
        "type": "object",
        "properties": {"text": {"type": "string"}, "mode": {"type": "string"}},
        "required": ["text"],
    },
    "traits": {"read_only": True},
}


def run(input_data, context):
    text = input_data["text"]
    return text.upper() if input_data.get("mode") == "upper" else text
`;

/** The same in JavaScript, with a body of its own. `input` and `context` are in reach. */
export function jsTool(name: string, body: string, more: Readonly<Record<string, unknown>> = {}): string {
  const spec = {
    name,
    description: `Does what ${name} does.`,
    input_schema: { type: "object", properties: { text: { type: "string" } } },
    traits: { read_only: true },
    ...more,
  };
  return `export const TOOL_SPEC = ${JSON.stringify(spec)};\nexport async function run(input, context) {\n  ${body}\n}\n`;
}

export const echoJs = jsTool("echo_tool", 'return input.mode === "upper" ? input.text.toUpperCase() : input.text;', {
  input_schema: {
    type: "object",
    properties: { text: { type: "string" }, mode: { type: "string" } },
    required: ["text"],
  },
});

export interface ToolCommand extends Command {
  /** As an editor saves: written beside it, then renamed. */
  save(name: string, content: string): Promise<void>;
  /** The same folder in the library, with what the command trusts. */
  library(scope: Scope, config?: RuntimeConfig): Promise<Runtime>;
}

/** A machine whose tool files the user trusts. */
export async function openToolCommand(
  scope: Scope,
  tools: Readonly<Record<string, string>>,
  options: CommandOptions = {},
): Promise<ToolCommand> {
  const files = Object.fromEntries(Object.entries(tools).map(([name, text]) => [`tools/${name}`, text]));
  const command = await openCommand(scope, { ...options, files: { ...files, ...options.files } });
  const { code, stderr } = await command.run(["trust", "--yes"]);
  if (code !== 0) throw new Error(stderr);
  return {
    ...command,
    async save(name, content) {
      const path = join(command.workdir, "tools", name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(`${path}.new`, content);
      await rename(`${path}.new`, path);
    },
    library: (to, config = {}) =>
      openLibrary(to, {
        workdir: command.workdir,
        env: command.env,
        settings: { permissions: { allow: ["*"] } },
        ...config,
      }),
  };
}

/** The output of a call, or how it ended. */
export async function say(runtime: Runtime, tool: string, input: object = {}): Promise<string> {
  const { state, result, error } = await runtime.call(tool, input);
  return state === "completed" ? (result?.output ?? "") : `${state}: ${error}`;
}

/** The conversation that these events of `run --json` belong to. */
export function sessionOf(events: readonly Record<string, Json>[]): string {
  return String(events.find((event) => event["session_id"] !== undefined)?.["session_id"]);
}
