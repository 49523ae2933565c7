/** What an address is for, as far as it matters here. Only `public` ones are reached unasked. */
export type AddressKind = "public" | "loopback" | "private" | "link-local" | "metadata" | "reserved" | "multicast";

export interface AddressRange {
  readonly range: string;
  readonly kind: Exclude<AddressKind, "public">;
  /** `… is <what>` */
  readonly what: string;
}

/** The first match counts. IANA's special-purpose registry, and the addresses where clouds hand out credentials. */
export const ipv4Ranges: readonly AddressRange[] = [
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
export const ipv6Ranges: readonly AddressRange[] = [
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
