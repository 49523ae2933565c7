import { isIPv6 } from "node:net";
import { isSameAddress, type AddressClass } from "./classify-address.ts";

/** What a person may loosen or tighten. Scheme, userinfo and the checks of every redirect are not among it. */
export interface UrlPolicy {
  /** Loopback and private networks may be reached. Link-local, metadata and reserved addresses stay refused. */
  readonly allowPrivate: boolean;
  /**
   * Hosts that may be reached although they are private: `wiki.corp`, `*.example.org`, `10.0.0.7`; with a port (`localhost:3000`,
   * `[::1]:8080`) only on that one, whatever `ports` says. An address that is listed itself is allowed whatever kind it is.
   */
  readonly allowHosts: readonly string[];
  readonly ports: readonly number[];
  /** Refused even where the above allows them: the ports of our own daemon. */
  readonly blockPorts: readonly number[];
}

export const defaultUrlPolicy: UrlPolicy = {
  allowPrivate: false,
  allowHosts: [],
  ports: [80, 443, 8080, 8443],
  blockPorts: [],
};

export interface Target {
  /** A name or an address, lower case, without brackets and trailing dot. */
  readonly host: string;
  readonly port: number;
}

/** A listed name opens private networks, never the places where a cloud hands out credentials. */
export function permitsAddress(policy: UrlPolicy, target: Target, found: AddressClass): boolean {
  if (found.kind === "public") return true;
  if (listsAddress(policy, { host: found.address, port: target.port })) return true;
  return (found.kind === "loopback" || found.kind === "private") && (policy.allowPrivate || listsHost(policy, target));
}

export function permitsPort(policy: UrlPolicy, target: Target): boolean {
  if (policy.blockPorts.includes(target.port)) return false;
  if (policy.ports.includes(target.port)) return true;
  return entriesOf(policy).some(({ host, port }) => port === target.port && matches(host, target.host));
}

/** Whether the person listed this host for this port. */
export function listsHost(policy: UrlPolicy, target: Target): boolean {
  return entriesOf(policy).some(
    ({ host, port }) => (port ?? target.port) === target.port && matches(host, target.host),
  );
}

function listsAddress(policy: UrlPolicy, target: Target): boolean {
  return entriesOf(policy).some(
    ({ host, port }) => (port ?? target.port) === target.port && isSameAddress(host, target.host),
  );
}

function matches(pattern: string, host: string): boolean {
  if (pattern === "*") return true;
  if (pattern.startsWith("*.")) return host.endsWith(pattern.slice(1));
  return pattern === host || isSameAddress(pattern, host);
}

function entriesOf({ allowHosts }: UrlPolicy): { readonly host: string; readonly port: number | undefined }[] {
  return allowHosts.flatMap((entry) => {
    const text = entry.trim().toLowerCase();
    if (isIPv6(text)) return [{ host: text, port: undefined }];
    const [, host = "", port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text) ?? [];
    const name = host.replace(/^\[|\]$|\.$/g, "");
    return name === "" ? [] : [{ host: name, port: port === undefined ? undefined : Number(port) }];
  });
}
