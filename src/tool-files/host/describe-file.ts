import type { HostParts } from "./host-process.ts";
import { openHost } from "./host-process.ts";
import { readSpec } from "./read-spec.ts";
import type { Described, ToolFile } from "./tool-host.ts";

/** Imports the file in a process of its own, which ends, and reads what it says of itself. Never throws. */
export async function describeFile(parts: HostParts, file: ToolFile): Promise<Described> {
  let printedBytes = 0;
  const start = await openHost(parts, file, {
    onMessage: () => undefined,
    onPrinted(piece) {
      printedBytes += piece.length;
      if (printedBytes > parts.limits.printedBytes && start.ok) void start.host.stop("output");
    },
  });
  if (!start.ok) return { ok: false, problem: start.problem };
  const loaded = await start.host.loaded;
  await start.host.close();
  return loaded.ok ? readSpec(loaded.file, file.language) : loaded;
}
