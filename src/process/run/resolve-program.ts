import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import { codeOf } from "../../core/errors.ts";
import { isVariableName } from "./child-environment.ts";
import type { StartError } from "./run-request.ts";

export interface StartRequest {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly executionId: string;
}

/**
 * Why this can't be started, or null. Asked before anything exists, because the system's own answers are too poor:
 * it says ENOENT for a missing folder and for a missing program, and inside the sandbox it says nothing at all.
 */
export function findStartProblem(request: StartRequest): StartError | null {
  return badRequest(request) ?? badFolder(request.cwd) ?? badProgram(request);
}

function badRequest({ argv, env, executionId }: StartRequest): StartError | null {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$/.test(executionId)) {
    return invalid(`An execution id has letters, digits, ".", "_" and "-" only; got ${JSON.stringify(executionId)}.`);
  }
  if (argv[0] === "") return invalid("The name of the program is empty; give the program to run.");
  if (argv.some((word) => word.includes("\0"))) {
    return invalid("The command holds a NUL byte, which no program can be given; remove it.");
  }
  for (const [name, value] of Object.entries(env)) {
    if (!isVariableName(name)) {
      return invalid(`An environment name has letters, digits and "_" only; got ${JSON.stringify(name)}.`);
    }
    if (value.includes("\0")) return invalid(`The environment variable ${name} holds a NUL byte; remove it.`);
  }
  return null;
}

function invalid(message: string): StartError {
  return { code: "EINVAL", message };
}

function badFolder(cwd: string): StartError | null {
  try {
    if (!statSync(cwd).isDirectory()) {
      return { code: "ENOTDIR", message: `"${cwd}" is not a folder; a command needs a folder to run in.` };
    }
    accessSync(cwd, constants.X_OK);
    return null;
  } catch (thrown) {
    const code = codeOf(thrown) ?? "EINVAL";
    const reason =
      code === "ENOENT" ? "does not exist" : code === "EACCES" ? "may not be entered" : `can't be used (${code})`;
    return { code, message: `The folder "${cwd}" to run in ${reason}.` };
  }
}

function badProgram({ argv: [name], cwd, env }: StartRequest): StartError | null {
  if (name.includes("/")) return badFile(name, resolve(cwd, name));
  const folders = (env["PATH"] ?? "/usr/bin:/bin").split(delimiter);
  let problem: StartError | null = null;
  for (const folder of folders) {
    const found = badFile(name, resolve(cwd, folder, name));
    if (!found) return null;
    if (found.code === "EACCES") problem = found;
  }
  return (
    problem ?? {
      code: "ENOENT",
      message: `The program "${name}" was not found in PATH; check its name, or install it.`,
    }
  );
}

function badFile(name: string, path: string): StartError | null {
  try {
    if (!statSync(path).isFile()) return { code: "EACCES", message: `"${name}" is not a program: it is no file.` };
    accessSync(path, constants.X_OK);
    return badInterpreter(name, path);
  } catch (thrown) {
    const code = codeOf(thrown) ?? "EINVAL";
    if (code === "ENOENT") return { code, message: `The program "${name}" does not exist.` };
    if (code === "EACCES") return { code, message: `The program "${name}" may not be executed; check its mode.` };
    return { code, message: `The program "${name}" can't be used (${code}).` };
  }
}

function badInterpreter(name: string, path: string): StartError | null {
  const interpreter = /^#![ \t]*([^\s\0]+)/.exec(firstBytes(path))?.[1];
  if (!interpreter) return null;
  try {
    accessSync(interpreter, constants.X_OK);
    return null;
  } catch (thrown) {
    const code = codeOf(thrown) ?? "ENOENT";
    return {
      code,
      message: `The script "${name}" wants the interpreter "${interpreter}", which can't be run (${code}).`,
    };
  }
}

function firstBytes(path: string): string {
  const bytes = Buffer.alloc(256);
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return ""; // executable but not readable: the system runs it all the same
  }
  try {
    return bytes.toString("latin1", 0, readSync(fd, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(fd);
  }
}
