import { RuntimeError } from "../core/errors.ts";
import { nearest } from "../core/text.ts";
import type { OfferedIn, Tool } from "../core/tool.ts";

/** The one list of tools and their names. Whatever speaks of a tool speaks of it by its canonical name. */
export interface Catalog {
  /** By canonical name or alias, in any case. */
  resolve(name: string): Tool | undefined;
  /** The canonical name, also of a known tool that is not offered here. */
  canonicalName(name: string): string | undefined;
  /** Only those that lead to it: a tool of that very name comes first. */
  aliasesOf(canonicalName: string): readonly string[];
  /** Names a person may have meant. */
  suggest(name: string): string[];
  list(offeredIn?: OfferedIn): Tool[];
  /** Throws DUPLICATE_TOOL when the name, or one that differs only in case, is taken. */
  add(tool: Tool): void;
  remove(canonicalName: string): boolean;
}

export function createCatalog(
  tools: readonly Tool[],
  aliases: Readonly<Record<string, readonly string[]>> = toolAliases,
): Catalog {
  const byName = new Map<string, Tool>();
  const byFold = new Map<string, Tool>();
  const canonicalByFold = new Map<string, string>();
  const aliasesByName = new Map(Object.entries(aliases));
  for (const [canonical, others] of aliasesByName) {
    for (const name of [canonical, ...others]) canonicalByFold.set(fold(name), canonical);
  }

  const catalog: Catalog = {
    resolve(name) {
      const exact = byName.get(name);
      if (exact) return exact;
      const folded = fold(name);
      // A tool's own name wins over another tool's alias.
      const own = byFold.get(folded);
      if (own) return own;
      const canonical = canonicalByFold.get(folded);
      return canonical === undefined ? undefined : byFold.get(fold(canonical));
    },
    canonicalName: (name) => catalog.resolve(name)?.name ?? canonicalByFold.get(fold(name)),
    aliasesOf: (name) => {
      const canonical = canonicalByFold.get(fold(name));
      const known = canonical === undefined ? [] : (aliasesByName.get(canonical) ?? []);
      return known.filter((alias) => !byFold.has(fold(alias)));
    },
    suggest(name) {
      const names = new Map<string, string>();
      for (const tool of byName.values()) {
        names.set(tool.name, tool.name);
        for (const alias of catalog.aliasesOf(tool.name)) names.set(alias, tool.name);
      }
      const found = nearest(name, names.keys(), 6).map((candidate) => names.get(candidate)!);
      return [...new Set(found)].slice(0, 3);
    },
    list(offeredIn) {
      const all = [...byName.values()];
      return offeredIn === undefined ? all : all.filter((tool) => tool.traits.offeredIn.includes(offeredIn));
    },
    add(tool) {
      const taken = byFold.get(fold(tool.name));
      if (taken) {
        throw new RuntimeError(
          "DUPLICATE_TOOL",
          `There is already a tool named "${taken.name}"; give "${tool.name}" a name that differs in more than case, "_" and "-".`,
        );
      }
      byName.set(tool.name, tool);
      byFold.set(fold(tool.name), tool);
    },
    remove(canonicalName) {
      if (!byName.delete(canonicalName)) return false;
      return byFold.delete(fold(canonicalName));
    },
  };
  for (const tool of tools) catalog.add(tool);
  return catalog;
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s]/g, "");
}

/**
 * Every name under which a tool is known in the source documents and to models trained on other agents.
 * Case, `_` and `-` do not count, so `ReadFile`, `read_file` and `read-file` are one entry.
 */
export const toolAliases: Readonly<Record<string, readonly string[]>> = {
  read: ["read_file", "file_read", "view_file", "open_file"],
  write: ["write_file", "file_write", "create_file"],
  edit: ["edit_file", "file_edit", "replace", "str_replace"],
  list_files: ["ls", "list", "list_dir", "list_directory"],
  glob: ["find_files", "file_search", "glob_files"],
  grep: ["search", "grep_search", "search_files", "search_file_content"],
  bash: ["run_shell", "shell", "run_shell_command", "run_command", "execute_command", "run_terminal_cmd"],
  run_python: ["python", "execute_python"],
  processes: ["background_processes", "process"],
  web_fetch: ["fetch", "fetch_url", "url_fetch"],
  web_search: ["search_web", "google_web_search"],
  ask_user: ["ask_user_question", "question", "ask", "request_user_input", "ask_question"],
  list_custom_tools: [],
  reload_custom_tools: ["reload_tools"],
  tool_registry_status: [],
  create_or_update_custom_tool_file: [],
  delete_custom_tool_file: [],
  use_agent: ["spawn_agent", "task"],
  get_task_status: ["task_status"],
  cancel_task: [],
};
