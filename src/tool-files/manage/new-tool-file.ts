import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RuntimeError } from "../../core/errors.ts";
import { createCatalog } from "../../engine/catalog.ts";
import { openTrust } from "../../permissions/trust/trust.ts";
import { createToolTemplate, type TemplateLanguage } from "./tool-template.ts";
import { locateFolders } from "../../config/folders.ts";
import type { Environment } from "../../core/environment.ts";
import { isBroughtAlong, readToolFolder } from "../../permissions/trust/open-trust.ts";
import { userName } from "../../config/user-name.ts";

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
