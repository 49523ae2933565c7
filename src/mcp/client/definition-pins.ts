import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { unifiedDiff } from "../../core/unified-diff.ts";
import { asFields } from "./mcp-json-rpc.ts";
import type { ListedTool } from "./list-tools.ts";
import { serverKey, type McpServerSetting } from "./server-setting.ts";

/** A definition of a tool that is not the one that was pinned. */
export interface HeldDefinition {
  readonly server: string;
  /** The server's own name for it. */
  readonly tool: string;
  /** Of the changed definition. */
  readonly hash: string;
  /** Both as text, one fact a line. */
  readonly before: string;
  readonly after: string;
}

/**
 * What servers said of their tools when each was first seen. A server can change the words that a model reads, or the input that a
 * tool takes, at any time: a change waits for an approval, and the pinned definition stays meanwhile.
 */
export interface DefinitionPins {
  /** Pins what is new, notes what has changed, and says what counts: the pinned definition where it has changed. */
  check(setting: McpServerSetting, listed: readonly ListedTool[]): readonly ListedTool[];
  /** The change of this tool that waits; undefined: none. */
  heldOf(setting: McpServerSetting, tool: string): HeldDefinition | undefined;
  held(): readonly HeldDefinition[];
  /** Pins a changed definition, if it is still this one; says whether it was. */
  approve(change: Pick<HeldDefinition, "server" | "tool" | "hash">): boolean;
}

interface Pin {
  readonly definition: ListedTool;
  readonly held?: ListedTool;
}

interface Kept {
  /** By the key of a server's setting, then by the tool's own name. */
  readonly servers: Record<string, { readonly name: string; readonly tools: Record<string, Pin> }>;
}

const format = 1;

/**
 * A file of the person's own. A file that can't be read pins anew; one that can't be written is an error of the call. With `isKept` false
 * the file is only read, and what is new counts in this process only.
 */
export function openDefinitionPins(path: string, { isKept = true } = {}): DefinitionPins {
  let seen = "";
  let kept: Kept = { servers: {} };

  function read(): Kept {
    const now = fingerprint(path);
    if (now !== seen) {
      kept = now === "" ? { servers: {} } : parse(readFileSync(path, "utf8"));
      seen = now;
    }
    return kept;
  }

  function write(next: Kept): void {
    if (!isKept) {
      kept = next;
      return;
    }
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const temporary = `${path}.${process.pid}.tmp`;
    writeFileSync(temporary, `${JSON.stringify({ format, ...next }, null, 1)}\n`, { mode: 0o600 });
    renameSync(temporary, path);
  }

  function withTools(key: string, name: string, tools: Record<string, Pin>): void {
    const { servers } = read();
    write({ servers: { ...servers, [key]: { name, tools: { ...servers[key]?.tools, ...tools } } } });
  }

  return {
    check(setting, listed) {
      const key = serverKey(setting);
      const known = read().servers[key]?.tools ?? {};
      const changed: Record<string, Pin> = {};
      const counting = listed.map((tool) => {
        const pin = Object.hasOwn(known, tool.name) ? known[tool.name]! : undefined;
        if (!pin) {
          changed[tool.name] = { definition: tool };
          return tool;
        }
        const isSame = hashOf(pin.definition) === hashOf(tool);
        if (isSame && pin.held) changed[tool.name] = { definition: pin.definition };
        if (!isSame && (!pin.held || hashOf(pin.held) !== hashOf(tool)))
          changed[tool.name] = { definition: pin.definition, held: tool };
        return isSame ? tool : pin.definition;
      });
      if (Object.keys(changed).length > 0) withTools(key, setting.name, changed);
      return counting;
    },
    heldOf(setting, tool) {
      const entry = read().servers[serverKey(setting)];
      const pin = entry && Object.hasOwn(entry.tools, tool) ? entry.tools[tool] : undefined;
      return pin?.held && toHeld(setting.name, pin.definition, pin.held);
    },
    held: () =>
      Object.values(read().servers).flatMap(({ name, tools }) =>
        Object.values(tools).flatMap(({ definition, held }) => (held ? [toHeld(name, definition, held)] : [])),
      ),
    approve({ server, tool, hash }) {
      for (const [key, { name, tools }] of Object.entries(read().servers)) {
        const held = name === server && Object.hasOwn(tools, tool) ? tools[tool]?.held : undefined;
        if (!held || hashOf(held) !== hash) continue;
        withTools(key, name, { [tool]: { definition: held } });
        return true;
      }
      return false;
    },
  };
}

function toHeld(server: string, before: ListedTool, after: ListedTool): HeldDefinition {
  return { server, tool: after.name, hash: hashOf(after), before: describe(before), after: describe(after) };
}

function describe({ name, description, inputSchema, hints }: ListedTool): string {
  return `${name}\n\n${description}\n\ninput ${JSON.stringify(inputSchema, null, 2)}\nhints ${JSON.stringify(hints)}\n`;
}

/** The same for the same facts, in whatever order a server lists them. */
function hashOf({ name, description, inputSchema, hints }: ListedTool): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted([name, description, inputSchema, hints])))
    .digest("hex");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, each]) => [key, sorted(each)]);
}

function parse(text: string): Kept {
  try {
    const { servers } = asFields(JSON.parse(text)) ?? {};
    const entries = Object.entries(asFields(servers) ?? {}).flatMap(([key, value]) => {
      const { name, tools } = asFields(value) ?? {};
      const pins = Object.entries(asFields(tools) ?? {}).flatMap(([tool, pin]) => {
        const { definition, held } = asFields(pin) ?? {};
        return isListed(definition) ? [[tool, { definition, ...(isListed(held) ? { held } : {}) }] as const] : [];
      });
      return typeof name === "string" ? [[key, { name, tools: Object.fromEntries(pins) }] as const] : [];
    });
    return { servers: Object.fromEntries(entries) };
  } catch {
    return { servers: {} };
  }
}

/** The file of a workspace's pinned definitions. */
export function pinsFile(stateFolder: string): string {
  return join(stateFolder, "mcp-pins.json");
}

export function showChange({ server, tool, before, after }: HeldDefinition): string {
  const name = `${server}/${tool}`;
  return unifiedDiff(before, after, { from: name, to: name }) ?? "The change is too long to show.";
}

function isListed(value: unknown): value is ListedTool {
  const { name, description, inputSchema, hints } = asFields(value) ?? {};
  return (
    typeof name === "string" &&
    typeof description === "string" &&
    asFields(inputSchema) !== undefined &&
    asFields(hints) !== undefined
  );
}

function fingerprint(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.ino}:${found.size}:${found.mtimeNs}` : "";
}
