import { isIPv4, isIPv6 } from "node:net";
import { ipv4Ranges, ipv6Ranges, type AddressKind, type AddressRange } from "./address-ranges.ts";

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
