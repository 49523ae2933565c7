import { createHash } from "node:crypto";
import type { Environment } from "../../core/process.ts";
import { findEnvironmentSecrets, isWorthHiding } from "../../guard/secrets/environment-secrets.ts";

/** A server as it was configured, under the name that its tools carry. */
export interface McpServerSetting {
  readonly name: string;
  readonly transport: McpTransport;
  /** Of one call; null: the runtime's default. */
  readonly timeoutMs: number | null;
  /** From the start of the program to its list of tools. */
  readonly startTimeoutMs: number;
  /** The person believes what this server says of its tools: `readOnlyHint` lets a call run without a question. */
  readonly trustsAnnotations: boolean;
  /** Only these of its tools, by the server's own names; null: all. */
  readonly only: readonly string[] | null;
}

export type McpTransport = StdioTransport | HttpTransport;

export interface StdioTransport {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Relative to the workdir; null: the workdir itself. */
  readonly cwd: string | null;
}

export interface HttpTransport {
  /** `sse`: the transport of 2024-11-05, with one stream for all answers. */
  readonly kind: "http" | "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The setting as it is written: variables stand in it by name, so nothing secret goes in that was not in the file. */
export function serverKey({ name, transport }: Pick<McpServerSetting, "name" | "transport">): string {
  return createHash("sha256")
    .update(JSON.stringify([name, transport]))
    .digest("hex")
    .slice(0, 32);
}

/** How a person recognises it. Arguments, variables and headers may hold secrets, so they are not part of it. */
export function describeTransport(transport: McpTransport): string {
  if (transport.kind === "stdio") return transport.command;
  const url = URL.parse(transport.url);
  return url === null ? "a URL that is not valid" : url.origin + url.pathname;
}

export type ExpandedSetting =
  | { readonly ok: true; readonly setting: McpServerSetting }
  /** What follows on the server's name. */
  | { readonly ok: false; readonly problem: string };

/** `${NAME}` and `${NAME:-default}` stand for variables of the environment, so that a file that is shared holds no secret. */
export function expandSetting(
  setting: McpServerSetting,
  env: Readonly<Record<string, string | undefined>>,
): ExpandedSetting {
  const missing = new Set<string>();
  const expand = (text: string): string =>
    text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g, (_all, name: string, standard?: string) => {
      const value = env[name] || standard;
      if (value === undefined) missing.add(name);
      return value ?? "";
    });
  const all = (record: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, expand(value)]));
  const { transport } = setting;
  const expanded =
    transport.kind === "stdio"
      ? {
          ...transport,
          command: expand(transport.command),
          args: transport.args.map(expand),
          env: all(transport.env),
          cwd: transport.cwd === null ? null : expand(transport.cwd),
        }
      : { ...transport, url: expand(transport.url), headers: all(transport.headers) };
  if (missing.size === 0) return { ok: true, setting: { ...setting, transport: expanded } };
  const names = [...missing].map((name) => `\${${name}}`).join(" and ");
  return {
    ok: false,
    problem: `is configured with ${names}, which the environment does not have: set it, or write a default as \${NAME:-default}.`,
  };
}

/** What the settings of a server hold that must never be written down, wherever it turns up. */
export function findMcpSecrets(setting: McpServerSetting, env: Environment): string[] {
  const expanded = expandSetting(setting, env);
  const { transport } = expanded.ok ? expanded.setting : setting;
  if (transport.kind === "stdio") {
    return [
      ...findEnvironmentSecrets(transport.env),
      ...findEnvironmentSecrets(Object.fromEntries(named(transport.args))),
    ];
  }
  const url = URL.parse(transport.url);
  return [
    ...Object.entries(transport.headers).flatMap(([name, value]) => headerSecrets(name, value)),
    ...findEnvironmentSecrets({ URL: transport.url }),
    ...[...(url?.searchParams ?? [])].flatMap(([name, value]) =>
      findEnvironmentSecrets({ [variableName(name)]: value }),
    ),
  ];
}

/** `Bearer abc` is about `abc`. */
function headerSecrets(name: string, value: string): string[] {
  if (!isCredential.test(name)) return findEnvironmentSecrets({ [variableName(name)]: value });
  return [value.replace(/^[A-Za-z][\w-]*\s+/, ""), value].filter(isWorthHiding);
}

const isCredential = /^(?:proxy-)?authorization$|^cookie$/i;

/** `--api-key=x` and `--api-key x`, by their names. */
function named(args: readonly string[]): (readonly [string, string])[] {
  return args.flatMap((word, index) => {
    const [, name = "", value = args[index + 1] ?? ""] = /^--?([\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    return name === "" ? [] : [[variableName(name), value] as const];
  });
}

function variableName(name: string): string {
  return name.replaceAll("-", "_");
}
