import { join } from "node:path";
import { scanFolder } from "../tool-files/scan/scan-folder.ts";
import { readToolFile } from "../tool-files/scan/read-tool-file.ts";
import { openVersionStore, type VersionStore } from "../tool-files/versions/version-store.ts";
import { countOf } from "../tools/failure.ts";
import { toolFolderOf } from "../permissions/trust/open-trust.ts";
import { ok, warning, type Check } from "./doctor-check.ts";
import type { Subject } from "./doctor-subject.ts";

interface KnownTool {
  readonly file: string;
  readonly tool: string;
  /** Whether what the file has now was loaded once. */
  readonly isLoaded: boolean;
}

/** The tools that tool files were when they worked last. Nothing is run to find out. */
export function listKnownTools({ folders, configuration }: Pick<Subject, "folders" | "configuration">): KnownTool[] {
  const shown = toolFolderOf(folders.workdir, configuration.tools.folder);
  const tools = join(folders.workdir, shown);
  const versions = openVersionStore({ folder: join(folders.data, "versions"), tools, shown, claim: () => undefined });
  return scanFolder(tools, null, Date.now).names.flatMap((file) => {
    const good = versions.findLastGood(file);
    const spec = good && versions.readSpec(good.hash);
    return spec ? [{ file, tool: spec.name, isLoaded: isLoaded(tools, file, versions) }] : [];
  });
}

function isLoaded(folder: string, file: string, versions: Pick<VersionStore, "readSpec">): boolean {
  const read = readToolFile(folder, file);
  return read.ok && versions.readSpec(read.snapshot.hash) !== undefined;
}

/** Which tool files there are. Whether they work shows only when they run, which a diagnosis does not do. */
export function checkTools(subject: Subject): Check {
  const { folders, configuration } = subject;
  const shown = toolFolderOf(folders.workdir, configuration.tools.folder);
  const { names, total } = scanFolder(join(folders.workdir, shown), null, Date.now);
  if (total === 0) return ok("tools", `No tool files in ${shown}; \`deckhand tools new NAME\` makes one.`);
  const found = listKnownTools(subject);
  const known = found.map(({ tool }) => tool);
  const rest = names.length - known.length;
  const which = known.length === 0 ? "" : ` (${known.slice(0, 5).join(", ")}${known.length > 5 ? ", …" : ""})`;
  const untried = rest === 0 ? "" : ` ${countOf(rest, "file")} never worked here; \`deckhand tools\` says why.`;
  const what = `${countOf(total, "tool file")} in ${shown}, ${known.length} of them in use${which}.${untried}`;
  const changed = found.filter((each) => !each.isLoaded).map(({ file }) => `${shown}/${file}`);
  if (changed.length === 0) return ok("tools", what);
  const [verb, they] = changed.length === 1 ? ["was changed and has", "it is"] : ["were changed and have", "they are"];
  const since = `${changed.join(", ")} ${verb} not been loaded since; until ${they}, calls run the version before.`;
  return warning("tools", `${what} ${since}`, "`deckhand tools` loads it, or says what is wrong.");
}
