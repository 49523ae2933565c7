import { readFileSync } from "node:fs";
import { codeOf, RuntimeError } from "../../core/errors.ts";
import type { Environment } from "../model-options.ts";

/**
 * A fetch that goes through HTTPS_PROXY, HTTP_PROXY and NO_PROXY and trusts the certificates of NODE_EXTRA_CA_CERTS and
 * SSL_CERT_FILE. Without any of them nothing is loaded for it. This machine is always reached directly. Follows no
 * redirects: what was meant for one server is nobody else's.
 */
export function openFetch(env: Environment): typeof globalThis.fetch {
  const proxyEnv = proxiesOf(env);
  const authorities = authoritiesOf(env);
  if (!proxyEnv && authorities.length === 0) return fetchDirectly;
  let opening: Promise<typeof globalThis.fetch> | undefined;
  return async (input, init) => {
    // Neither a proxy nor a certificate is of use for a model that runs here.
    if (typeof input === "string" && isPlainAndHere(input)) return fetchDirectly(input, init);
    opening ??= import("./agent-fetch.ts").then(({ openAgentFetch }) =>
      openAgentFetch({ proxyEnv, authorities, isThisMachine }),
    );
    return (await opening)(input, init);
  };
}

const fetchDirectly: typeof globalThis.fetch = (input, init) =>
  globalThis.fetch(input, { ...init, redirect: "manual" });

function isPlainAndHere(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && isThisMachine(hostname);
}

function isThisMachine(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

function proxiesOf(env: Environment): Record<string, string> | null {
  const names = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"];
  const set: Record<string, string> = {};
  for (const name of names) {
    const variable = [name.toLowerCase(), name].find((each) => env[each]?.trim());
    if (variable) set[name] = name === "NO_PROXY" ? env[variable]! : proxyAddress(env[variable]!.trim(), variable);
  }
  const all = (env["all_proxy"] ?? env["ALL_PROXY"])?.trim();
  if (all && !set["HTTPS_PROXY"]) set["HTTPS_PROXY"] = proxyAddress(all, "ALL_PROXY");
  return set["HTTPS_PROXY"] || set["HTTP_PROXY"] ? set : null;
}

function proxyAddress(text: string, variable: string): string {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.parse(address);
  if (url && ["http:", "https:"].includes(url.protocol)) return address;
  throw new RuntimeError(
    "CONFIG_INVALID",
    `${variable} must name an http or https proxy, like http://host:8080, but it is ${JSON.stringify(text)}; correct or unset it.`,
  );
}

/** Certificates, and the variable that named them. */
export type Authority = readonly [text: string, variable: string];

function authoritiesOf(env: Environment): Authority[] {
  const variables = ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"].filter((each) => env[each]?.trim());
  return variables.map((variable) => [readAuthority(env[variable]!.trim(), variable), variable]);
}

function readAuthority(path: string, variable: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new RuntimeError(
      "CONFIG_INVALID",
      `${variable} names ${path}, which can't be read (${codeOf(error) ?? "unknown"}); correct or unset it.`,
      { cause: error },
    );
  }
}
