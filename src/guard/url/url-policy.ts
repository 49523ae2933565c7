import { isIPv6 } from "node:net";
import { isSameAddress, type AddressClass } from "./classify-address.ts";

/** What a person may loosen or tighten. Scheme, userinfo and the checks of every redirect are not among it. */
export interface UrlPolicy {
  /** Loopback and private networks may be reached. Link-local, metadata and reserved addresses stay refused. */
  readonly allowPrivate: boolean;
  /**
   * Hosts that may be reached although they are private: `wiki.corp`, `*.example.org`, `10.0.0.7`; with a port (`localhost:3000`,
   * `[::1]:8080`) only on that one, whether it is an ordinary port or not. An address that is listed itself is allowed whatever kind it is.
   */
  readonly allowHosts: readonly string[];
  /** Refused even where the above allows them: the ports of our own daemon. */
  readonly blockPorts: readonly number[];
}

export const defaultUrlPolicy: UrlPolicy = {
  allowPrivate: false,
  allowHosts: [],
  blockPorts: [],
};

/** Below 1024, what the web itself uses. */
const systemPorts: ReadonlySet<number> = new Set([80, 81, 82, 83, 84, 85, 86, 88, 280, 443, 444, 591, 593, 832, 981]);

/**
 * Ports above that belong to something that is not the web: mail and phones, file shares, remote desktops, queues, databases, caches,
 * containers and clusters. An address with such a port is meant for that service, not for reading a page.
 */
const servicePorts: ReadonlySet<number> = new Set(
  (
    "1080 1194 1352 1433 1434 1494 1521 1522 1526 1719 1720 1723 1883 2049 2181 2375 2376 2377 2379 2380 3260 3268 3269 3306 3389 3659 " +
    "4045 4190 4369 4789 5060 5061 5222 5269 5432 5433 5671 5672 5900 5901 5938 5984 5985 5986 6000 6001 6379 6380 6443 6514 6566 6665 " +
    "6666 6667 6668 6669 6679 6697 7199 7473 7687 8020 8086 8125 8472 8883 9042 9092 9093 9160 9200 9300 9418 10080 10250 10255 10256 " +
    "11211 15672 15692 25565 26257 26379 27017 27018 27019 28015 33060 50000 50070"
  )
    .split(" ")
    .map(Number),
);

/** Where pages are served: not a port that another kind of service is known by, and none of those that are handed out by chance. */
function isOrdinaryPort(port: number): boolean {
  return port < 1024 ? systemPorts.has(port) : port < 49_152 && !servicePorts.has(port);
}

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
  if (isOrdinaryPort(target.port)) return true;
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
