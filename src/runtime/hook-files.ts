import { lstatSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { HookSetting } from "../gate/hook-program.ts";

interface Hooks {
  readonly before?: readonly HookSetting[] | undefined;
  readonly after?: readonly HookSetting[] | undefined;
}

/** The files of the workdir that the hooks of its settings run, relative to it: who may change them decides what they do. */
export function hookFiles({ hooks }: { readonly hooks?: Hooks | undefined }, workdir: string): string[] {
  const all = [...(hooks?.before ?? []), ...(hooks?.after ?? [])];
  return [...new Set(all.flatMap((hook) => filesOf(hook, workdir)))];
}

/** Any word of a command may name its script: `["sh", "check.sh"]`. */
function filesOf({ module, command }: HookSetting, workdir: string): string[] {
  const named = module === undefined ? [...(command ?? [])] : [module];
  return named.flatMap((word) => {
    const path = resolve(workdir, word);
    const way = relative(workdir, path);
    const isInside = way !== "" && !way.startsWith("..");
    return isInside && lstatSync(path, { throwIfNoEntry: false })?.isFile() ? [way] : [];
  });
}
