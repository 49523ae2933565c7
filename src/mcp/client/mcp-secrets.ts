import { findEnvironmentSecrets, isWorthHiding } from "../../guard/secrets/environment-secrets.ts";
import { expandSetting } from "./expand-setting.ts";
import type { McpServerSetting } from "./server-setting.ts";
import type { Environment } from "../../core/process.ts";

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
