import { classifyAddress } from "./classify-address.ts";

/**
 * Why a host name can't be one of the public internet, as `… <reason>`; undefined when it may be. Where it really leads only a
 * resolver knows; names that are known to lead inside are refused here already, for whoever asks without one.
 */
export function judgeName(name: string): string | undefined {
  if (localNames.some((local) => isBelow(name, local))) return "is a name of this machine or of a local network";
  if (!name.includes(".")) return "is a single word, which only a local network can resolve";
  if (insideNames.some((inside) => isBelow(name, inside)))
    return "is known to lead to this machine or inside a network";
  if (!spellingServices.some((service) => isBelow(name, service))) return undefined;
  const inside = speltAddresses(name).flatMap((spelt) => classifyAddress(spelt) ?? []);
  const found = inside.find(({ kind }) => kind !== "public");
  return found === undefined ? undefined : `spells ${found.address}, ${found.what}`;
}

/** Reserved for machines and networks of one's own, by a standard or because they will never be delegated. */
const localNames = [
  "localhost localdomain localdomain4 localdomain6 local internal intranet private lan home home.arpa".split(" "),
  "corp domain workgroup router default svc cluster consul docker kubernetes".split(" "),
].flat();

/** Public names whose purpose is to lead inside: development aids, rebinding services, a cloud's metadata. */
const insideNames = [
  "localtest.me lvh.me vcap.me lacolhost.com fuf.me localdev.me local.gd localho.st localhost.direct".split(" "),
  "spoofed.burpcollaborator.net 1u.ms rbndr.us rebind.it".split(" "),
  "metadata.goog metadata.tencentyun.com metadata.packet.net metadata.platformequinix.com".split(" "),
].flat();

/** They answer with the address that stands in the name. */
const spellingServices = ["nip.io", "sslip.io", "xip.io", "traefik.me", "backname.io", "ip.addr.tools"];

/** Whatever in the name could be read as an address: which of several counts differs from service to service. */
function speltAddresses(name: string): string[] {
  const dotted = name.matchAll(/(?<=^|[.-])(?=(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-])/g);
  const hex = name.matchAll(/(?<=^|[.-])([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})(?=\.)/g);
  const dashed = name.matchAll(/(?<=^|\.)[0-9a-f]*(?:-[0-9a-f]*){2,7}(?=\.)/g);
  return [
    ...Array.from(dotted, ([, ...bytes]) => bytes.map(Number).join(".")),
    ...Array.from(hex, ([, ...bytes]) => bytes.map((byte) => Number.parseInt(byte, 16)).join(".")),
    ...Array.from(dashed, ([groups]) => groups.replaceAll("-", ":")),
  ];
}

function isBelow(name: string, suffix: string): boolean {
  return name === suffix || name.endsWith(`.${suffix}`);
}
