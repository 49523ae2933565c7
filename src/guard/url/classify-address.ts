import { isIPv4, isIPv6 } from "node:net";

/** What an address is for, as far as it matters here. Only `public` ones are reached unasked. */
type AddressKind = "public" | "loopback" | "private" | "link-local" | "metadata" | "reserved" | "multicast";

interface AddressRange {
  readonly range: string;
  readonly kind: Exclude<AddressKind, "public">;
  /** `… is <what>` */
  readonly what: string;
}

/** The first match counts. IANA's special-purpose registry, and the addresses where clouds hand out credentials. */
const ipv4Ranges: readonly AddressRange[] = [
  { range: "169.254.169.254/32", kind: "metadata", what: "a cloud's metadata service" },
  { range: "169.254.170.2/32", kind: "metadata", what: "a container's metadata service" },
  { range: "168.63.129.16/32", kind: "metadata", what: "Azure's metadata service" },
  { range: "100.100.100.200/32", kind: "metadata", what: "Alibaba's metadata service" },
  { range: "192.0.0.192/32", kind: "metadata", what: "Oracle's metadata service" },
  { range: "0.0.0.0/8", kind: "reserved", what: "this machine itself" },
  { range: "10.0.0.0/8", kind: "private", what: "a private network" },
  { range: "100.64.0.0/10", kind: "private", what: "a carrier's private network" },
  { range: "127.0.0.0/8", kind: "loopback", what: "this machine itself" },
  { range: "169.254.0.0/16", kind: "link-local", what: "a link-local address" },
  { range: "172.16.0.0/12", kind: "private", what: "a private network" },
  { range: "192.0.0.0/24", kind: "reserved", what: "reserved for protocols" },
  { range: "192.0.2.0/24", kind: "reserved", what: "reserved for documentation" },
  { range: "192.88.99.0/24", kind: "reserved", what: "a relay into IPv6" },
  { range: "192.168.0.0/16", kind: "private", what: "a private network" },
  { range: "198.18.0.0/15", kind: "reserved", what: "reserved for benchmarks" },
  { range: "198.51.100.0/24", kind: "reserved", what: "reserved for documentation" },
  { range: "203.0.113.0/24", kind: "reserved", what: "reserved for documentation" },
  { range: "224.0.0.0/4", kind: "multicast", what: "a multicast address" },
  { range: "255.255.255.255/32", kind: "reserved", what: "the broadcast address" },
  { range: "240.0.0.0/4", kind: "reserved", what: "reserved" },
];

/** Beside these only 2000::/3 is public; everything else is reserved. */
const ipv6Ranges: readonly AddressRange[] = [
  { range: "fd00:ec2::/32", kind: "metadata", what: "Amazon's metadata service" },
  { range: "fd20:ce::254/128", kind: "metadata", what: "Google's metadata service" },
  { range: "fd00:42::42/128", kind: "metadata", what: "Scaleway's metadata service" },
  { range: "fd00:c1::a9fe:a9fe/128", kind: "metadata", what: "Oracle's metadata service" },
  { range: "::1/128", kind: "loopback", what: "this machine itself" },
  { range: "::/128", kind: "reserved", what: "this machine itself" },
  { range: "::/96", kind: "reserved", what: "an old form of an IPv4 address" },
  { range: "::ffff:0:0:0/96", kind: "reserved", what: "a translated IPv4 address" },
  { range: "64:ff9b::/96", kind: "reserved", what: "a translated IPv4 address" },
  { range: "64:ff9b:1::/48", kind: "reserved", what: "a translated IPv4 address" },
  { range: "100::/64", kind: "reserved", what: "a black hole" },
  { range: "2001::/32", kind: "reserved", what: "a tunnel to an IPv4 address (Teredo)" },
  { range: "2001::/23", kind: "reserved", what: "reserved for protocols" },
  { range: "2001:db8::/32", kind: "reserved", what: "reserved for documentation" },
  { range: "2002::/16", kind: "reserved", what: "a tunnel to an IPv4 address (6to4)" },
  { range: "3ffe::/16", kind: "reserved", what: "reserved" },
  { range: "3fff::/20", kind: "reserved", what: "reserved for documentation" },
  { range: "fc00::/7", kind: "private", what: "a private network" },
  { range: "fe80::/10", kind: "link-local", what: "a link-local address" },
  { range: "fec0::/10", kind: "private", what: "a private network (site-local)" },
  { range: "ff00::/8", kind: "multicast", what: "a multicast address" },
];

export interface AddressClass {
  /** In its shortest usual form; an IPv4 address inside an IPv6 one is taken out of it. */
  readonly address: string;
  readonly kind: AddressKind;
  /** `… is <what>` */
  readonly what: string;
}

/** What this address is for; undefined when it is none (names, zone ids, octal and short forms: a URL has resolved those). */
export function classifyAddress(text: string): AddressClass | undefined {
  if (isIPv4(text)) return classifyIpv4(text);
  // A zone id names an interface of this machine: nothing that is reached by it is public.
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const bytes = ipv6Bytes(text);
  // The kernel connects to the IPv4 address itself.
  if (startsWith(bytes, mapped)) return classifyIpv4(bytes.slice(12).join("."));
  const address = shortest(text);
  const found = parsedIpv6Ranges.find(({ prefix, bits }) => startsWith(bytes, prefix, bits));
  if (found) return { address, kind: found.kind, what: found.what };
  if (carriesIpv4(bytes)) return { address, kind: "reserved", what: "a tunnel to an IPv4 address (ISATAP)" };
  const isGlobal = (bytes[0]! & 0xe0) === 0x20;
  return isGlobal ? { address, kind: "public", what: "public" } : { address, kind: "reserved", what: "reserved" };
}

/** Whether both are the same address, whatever their spelling. */
export function isSameAddress(a: string, b: string): boolean {
  const first = classifyAddress(a);
  return first !== undefined && first.address === classifyAddress(b)?.address;
}

function classifyIpv4(address: string): AddressClass {
  const bytes = ipv4Bytes(address);
  const found = parsedIpv4Ranges.find(({ prefix, bits }) => startsWith(bytes, prefix, bits));
  return { address, kind: found?.kind ?? "public", what: found?.what ?? "public" };
}

function carriesIpv4(bytes: readonly number[]): boolean {
  return (bytes[8]! & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}

interface ParsedRange extends AddressRange {
  readonly prefix: readonly number[];
  readonly bits: number;
}

const mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
const parsedIpv4Ranges = ipv4Ranges.map((each) => parseRange(each, ipv4Bytes));
const parsedIpv6Ranges = ipv6Ranges.map((each) => parseRange(each, ipv6Bytes));

function parseRange(range: AddressRange, bytesOf: (address: string) => number[]): ParsedRange {
  const [address = "", bits] = range.range.split("/");
  return { ...range, prefix: bytesOf(address), bits: Number(bits) };
}

function startsWith(bytes: readonly number[], prefix: readonly number[], bits = prefix.length * 8): boolean {
  const whole = bits >> 3;
  for (let index = 0; index < whole; index++) if (bytes[index] !== prefix[index]) return false;
  const rest = bits & 7;
  return rest === 0 || (bytes[whole]! ^ prefix[whole]!) >> (8 - rest) === 0;
}

function ipv4Bytes(address: string): number[] {
  return address.split(".").map(Number);
}

function ipv6Bytes(address: string): number[] {
  const [head = "", tail] = shortest(address).split("::");
  const front = groupsOf(head);
  const back = groupsOf(tail ?? "");
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => 0);
  return [...front, ...(tail === undefined ? [] : zeros), ...back].flatMap((group) => [group >> 8, group & 0xff]);
}

function groupsOf(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

/** The form a URL gives it: no dots, no leading zeros, the longest run of zeros left out. */
function shortest(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
