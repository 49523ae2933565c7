import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelRequest } from "../../../src/core/model.ts";
import { createScriptedModel } from "../../../packages/testing/src/create-scripted-model.ts";
import type { Script } from "../../../packages/testing/src/script.ts";
import { createRuntime, type Runtime } from "../../../src/runtime/create-runtime.ts";
import type { ImproveOrder, Improvement } from "../../../src/tool-files/improve/improve-tool.ts";
import { createTrust } from "../../../src/permissions/trust/open-trust.ts";

/** Fails where no style is given. */
export const initials = `export const TOOL_SPEC = {
  name: "initials",
  description: "The first letters of a name.",
  input_schema: {
    type: "object",
    properties: { name: { type: "string" }, style: { enum: ["upper", "lower"] } },
    required: ["name"],
  },
  traits: { read_only: true },
  cases: [{ name: "two words", input: { name: "Ada Lovelace", style: "upper" }, expect: "AL" }],
};

export function run({ name, style }: { name: string; style?: any }) {
  const letters = name.split(" ").map((word) => word[0]).join("");
  const shown = style.startsWith("u") ? letters.toUpperCase() : letters.toLowerCase();
  return { ok: true, output: shown };
}
`;
export const mended = initials.replace("name, style }:", 'name, style = "upper" }:');

export const initialsInPython = `TOOL_SPEC = {
    "name": "initials",
    "description": "The first letters of a name.",
    "input_schema": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "style": {"type": "string"}},
        "required": ["name"],
    },
    "traits": {"read_only": True},
}


def run(input_data, context):
    letters = "".join(word[0] for word in input_data["name"].split())
    return {"ok": True, "output": letters.upper() if input_data["style"] == "upper" else letters.lower()}
`;

/** A reply as it is asked for. */
export function replying(content: string): string {
  return `Upper case unless said otherwise.\n\n\`\`\`ts\n${content}\`\`\`\n`;
}

const working = [
  { name: "ada lovelace", style: "upper" },
  { name: "Emmy Noether", style: "lower" },
];
const failing = [{ name: "Grace Hopper" }, { name: "Alan Turing" }, { name: "Kurt" }];

/** A trusted tool file in a workdir, which was called twice with success and, when nothing else is said, three times without. */
export async function recordCalls(place: {
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly file?: { readonly name: string; readonly content: string };
  readonly failing?: readonly object[];
}): Promise<void> {
  const { workdir, env, file = { name: "initials.ts", content: initials } } = place;
  await mkdir(join(workdir, "tools"), { recursive: true });
  await writeFile(join(workdir, "tools", file.name), file.content);
  const trust = createTrust(workdir, env);
  trust.grant("kim", { files: trust.files().map(({ path }) => path), quarantined: [] });
  const runtime = await createRuntime({ workdir, env, settings: { permissions: { allow: ["*"] } } });
  try {
    for (const input of working) assert.equal((await runtime.call("initials", input)).state, "completed");
    for (const input of place.failing ?? failing) assert.equal((await runtime.call("initials", input)).state, "failed");
  } finally {
    await runtime.close();
  }
}

export interface Asked {
  readonly improvement: Improvement;
  /** What the model was sent. */
  readonly requests: readonly ModelRequest[];
  /** What it was refused for before it was asked again. */
  readonly refusals: readonly string[];
}

/** Lets a scripted model improve the tool, with nobody to be asked. */
export async function improve(
  runtime: Runtime,
  turns: Script["turns"],
  order: Partial<ImproveOrder> = {},
): Promise<Asked> {
  const requests: ModelRequest[] = [];
  const refusals: string[] = [];
  const model = createScriptedModel({ turns });
  const improvement = await runtime.improveTool({
    tool: "initials",
    attempts: turns.length,
    isDryRun: true,
    signal: new AbortController().signal,
    openModel: async () => ({
      ...model,
      stream(request) {
        requests.push({ ...request, messages: [...request.messages] });
        return model.stream(request);
      },
    }),
    mayReach: async () => false,
    confirm: async () => true,
    onStep: () => undefined,
    onRefused: (reason) => void refusals.push(reason),
    ...order,
  });
  return { improvement, requests, refusals };
}
