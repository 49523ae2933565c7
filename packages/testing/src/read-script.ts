import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf, messageOf, RuntimeError } from "../../../src/core/errors.ts";
import type { Model } from "../../../src/core/model.ts";
import { nearest } from "../../../src/core/text.ts";
import { createScriptedModel } from "./create-scripted-model.ts";
import { parseScript } from "./parse-script.ts";
import type { Script } from "./script.ts";

/** Throws MODEL_INVALID with one sentence when the file is not there or not a script. */
export async function readScript(path: string): Promise<Script> {
  return parseScript(await readText(path), path);
}

/** What `--model script:FILE` names. */
export async function openScriptedModel(path: string): Promise<Model> {
  return createScriptedModel(await readScript(path), { id: `script:${path}` });
}

async function readText(path: string): Promise<string> {
  try {
    // A pipe by that name would be waited for without end.
    if (!(await stat(path)).isFile()) throw new Error("it is not a file");
    return await readFile(path, "utf8");
  } catch (thrown) {
    const isMissing = codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR";
    const problem = isMissing ? `there is no such file${await tellNearest(path)}` : messageOf(thrown);
    throw new RuntimeError("MODEL_INVALID", `The script ${path} can't be read: ${problem}.`, { cause: thrown });
  }
}

async function tellNearest(path: string): Promise<string> {
  const folder = dirname(path);
  const names = await readdir(folder).catch(() => []);
  const [meant] = nearest(basename(path), names, 1);
  return meant === undefined ? "" : `; did you mean ${join(folder, meant)}`;
}
