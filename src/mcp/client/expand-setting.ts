import type { McpServerSetting } from "./server-setting.ts";

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
