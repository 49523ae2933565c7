import { codeOf } from "../../core/errors.ts";
import type { Tool } from "../../core/tool.ts";
import { timeToWire } from "../../core/wire.ts";
import { type ToolRelease, versionName } from "../rollout/release/tool-release.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** A content of a tool, as a list of them shows it. */
interface ListedVersion {
  readonly version: string;
  /** `out`: rolled back. */
  readonly role: "stable" | "canary" | "earlier" | "out";
  readonly since: unknown;
  readonly until: unknown;
  readonly origin: string | null;
}

/** The one in use first, then what is tried, then what was. */
export async function listVersions(runtime: Pick<Runtime, "rollouts">, tool: Tool): Promise<ListedVersion[]> {
  try {
    const { release } = await (await runtime.rollouts()).explain(tool.name);
    return versionsOf(release);
  } catch (thrown) {
    if (codeOf(thrown) !== "UNKNOWN_TOOL") throw thrown;
    return [{ version: tool.version, role: "stable", since: null, until: null, origin: null }];
  }
}

function versionsOf({ tool, stable, earlier, rollout, out }: ToolRelease): ListedVersion[] {
  const { hash, since, origin } = stable;
  return [
    { version: versionName(tool, hash), role: "stable", since: timeToWire(since), until: null, origin },
    ...(rollout
      ? [
          {
            version: versionName(tool, rollout.hash),
            role: rollout.status === "rolled_back" ? ("out" as const) : ("canary" as const),
            since: timeToWire(rollout.startedAt),
            until: timeToWire(out[rollout.hash]?.at ?? null),
            origin: rollout.origin,
          },
        ]
      : []),
    ...earlier.map((each) => ({
      version: versionName(tool, each.hash),
      role: out[each.hash] ? ("out" as const) : ("earlier" as const),
      since: timeToWire(each.since),
      until: timeToWire(each.until),
      origin: each.origin,
    })),
  ];
}
