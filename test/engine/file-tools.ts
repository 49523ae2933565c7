import {
  appendFile,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import { defineTool } from "../../src/core/define-tool.ts";
import { codeOf } from "../../src/core/errors.ts";
import type { Access, Resource, Tool, ToolResult } from "../../src/core/tool.ts";

/**
 * Small tools that act in several steps with pauses in between, so that two of them that overlap and should not would
 * be seen. `raw`: the path goes to the system as it is, so that a link is followed before the `..` behind it.
 */
export function createFileTools(snapshot: () => string[]): Tool[] {
  const counters = new Map<string, number>();
  return [
    fileTool("read", "read", async ({ path, pause }) => {
      await rest(pause);
      return readFile(path, "utf8");
    }),
    fileTool("list", "read", async ({ path, pause }) => (await listBelow(path, pause)).join("\n")),
    fileTool("write", "write", async ({ path, text, pause, raw }) => {
      if (!raw) await mkdir(dirname(path), { recursive: true });
      const file = await open(path, "w");
      await rest(pause);
      await file.writeFile(text);
      await file.close();
      return "written";
    }),
    fileTool("append", "write", async ({ path, text, pause }) => {
      const before = await readFile(path, "utf8");
      await rest(pause);
      await writeFile(path, before + text);
      return before;
    }),
    fileTool("delete", "write", async ({ path, pause }) => {
      await rest(pause);
      // By its real path: on its way through a link, it could remove that link and lose its way.
      const isLink = (await lstat(path)).isSymbolicLink();
      await rm(isLink ? path : await realpath(path), { recursive: true });
      return "deleted";
    }),
    fileTool("mkdir", "write", async ({ path, pause }) => {
      await rest(pause);
      await mkdir(path);
      return "made";
    }),
    defineTool({
      name: "rename",
      description: "Moves a file or a link.",
      input: pathInput.extend({ to: z.string() }),
      resources: ({ path, to }) => [touch(path, "write"), touch(to, "write"), touch(`${to}/..`, "read")],
      run: ({ path, to, pause, raw }, { workdir }) =>
        answer(async () => {
          if ((await lstat(place(workdir, path, raw))).isDirectory()) throw new Error("a folder");
          await rest(pause);
          await rename(place(workdir, path, raw), place(workdir, to, raw));
          return "moved";
        }),
    }),
    defineTool({
      name: "symlink",
      description: "Makes a link; what that changes for other paths nobody can say.",
      input: pathInput.extend({ to: z.string() }),
      run: ({ path, to, pause, raw }, { workdir }) =>
        answer(async () => {
          await rest(pause);
          await symlink(to, place(workdir, path, raw));
          return "linked";
        }),
    }),
    defineTool({
      name: "shell",
      description: "May do anything; does two things.",
      input: pathInput,
      run: ({ path, text, pause, raw }, { workdir }) =>
        answer(async () => {
          await appendFile(place(workdir, path, raw), text);
          await rest(pause);
          await appendFile(place(workdir, "log", false), text);
          return snapshot().join("\n");
        }),
    }),
    defineTool({
      name: "look_around",
      description: "Reads everything.",
      input: pathInput,
      traits: { readOnly: true },
      run: ({ pause }) =>
        answer(async () => {
          await rest(pause);
          return snapshot().join("\n");
        }),
    }),
    defineTool({
      name: "bump",
      description: "Counts up by a name that is no file.",
      input: pathInput,
      resources: ({ path }) => [{ kind: "name", name: path, access: "write" }],
      run: ({ path, pause }) =>
        answer(async () => {
          const before = counters.get(path) ?? 0;
          await rest(pause);
          counters.set(path, before + 1);
          return String(before);
        }),
    }),
    defineTool({
      name: "counter",
      description: "Reads what bump counts.",
      input: pathInput,
      traits: { readOnly: true },
      resources: ({ path }) => [{ kind: "name", name: path, access: "read" }],
      run: ({ path, pause }) =>
        answer(async () => {
          await rest(pause);
          return String(counters.get(path) ?? 0);
        }),
    }),
    defineTool({
      name: "fail",
      description: "Touches nothing and fails.",
      input: pathInput,
      resources: () => [],
      run: ({ path, pause }) =>
        answer(async () => {
          await rest(pause);
          if (path === "a") throw new Error("thrown");
          return Promise.reject(new Error("failed"));
        }),
    }),
  ];
}

const pathInput = z.object({
  path: z.string(),
  text: z.string().default("+"),
  pause: z.number().default(0),
  raw: z.boolean().default(false),
});
type PathInput = z.output<typeof pathInput>;

function fileTool(name: string, access: Access, act: (input: PathInput) => Promise<string>): Tool {
  return defineTool({
    name,
    description: "For a test.",
    input: pathInput,
    traits: { readOnly: access === "read" },
    resources: ({ path, raw }) => [
      touch(path, access),
      ...(needsFolder(name, raw) ? [touch(`${path}/..`, "read")] : []),
    ],
    run: (input, { workdir }) => answer(() => act({ ...input, path: place(workdir, input.path, input.raw) })),
  });
}

/** Whether the folder above its path is there decides what it does. */
function needsFolder(name: string, raw: boolean): boolean {
  return name === "mkdir" || (name === "write" && raw);
}

function touch(path: string, access: Access): Resource {
  return { kind: "path", path, access };
}

function place(workdir: string, path: string, raw: boolean): string {
  return raw ? `${workdir}/${path}` : join(workdir, path);
}

async function answer(act: () => Promise<string>): Promise<ToolResult> {
  try {
    return { ok: true, output: await act() };
  } catch (thrown) {
    return { ok: false, error: codeOf(thrown) ?? String(thrown), errorType: "io" };
  }
}

async function rest(turns: number): Promise<void> {
  for (let left = turns; left > 0; left--) await nextTurn();
}

async function listBelow(path: string, pause: number): Promise<string[]> {
  const found: string[] = [];
  for (const entry of (await readdir(path, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    found.push(entry.name);
    await rest(pause);
    if (entry.isDirectory()) found.push(...(await listBelow(join(path, entry.name), pause)));
  }
  return found;
}
