import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { classifyAddress, isSameAddress } from "../../../src/guard/url/classify-address.ts";
import { count } from "../../support/counts.ts";

test("an address is named by what it is for [G5]", () => {
  assert.deepEqual(classifyAddress("127.8.9.1"), {
    address: "127.8.9.1",
    kind: "loopback",
    what: "this machine itself",
  });
  assert.deepEqual(classifyAddress("::ffff:a9fe:a9fe"), {
    address: "169.254.169.254",
    kind: "metadata",
    what: "a cloud's metadata service",
  });
  assert.deepEqual(classifyAddress("2606:4700:0:0::1111"), {
    address: "2606:4700::1111",
    kind: "public",
    what: "public",
  });
});

test("both edges of every range are inside, and their neighbours are not [G5]", () => {
  const kinds = (...addresses: string[]): unknown[] => addresses.map((address) => classifyAddress(address)?.kind);
  assert.deepEqual(kinds("9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"), [
    "public",
    "private",
    "private",
    "public",
  ]);
  assert.deepEqual(kinds("172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"), [
    "public",
    "private",
    "private",
    "public",
  ]);
  assert.deepEqual(kinds("100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"), [
    "public",
    "private",
    "private",
    "public",
  ]);
  assert.deepEqual(kinds("198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"), [
    "public",
    "reserved",
    "reserved",
    "public",
  ]);
  assert.deepEqual(kinds("1fff:ffff::", "2000::", "3ffd:ffff::", "4000::"), [
    "reserved",
    "public",
    "public",
    "reserved",
  ]);
  assert.deepEqual(kinds("2001:1ff:ffff::", "2001:200::", "2001:db7::", "2001:db9::"), [
    "reserved",
    "public",
    "public",
    "public",
  ]);
});

test("what is no address in its plain form is none [G5]", () => {
  for (const text of [
    "",
    "localhost",
    "127.1",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "1.2.3.4 ",
    "fe80::1%eth0",
    "[::1]",
    ":::",
    "1::2::3",
  ]) {
    assert.equal(classifyAddress(text), undefined, text);
  }
});

test("nothing is public that an independent library gives a special purpose [G5]", () => {
  const byte = fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 10, 100, 127, 168, 169, 172, 192, 198, 203, 224, 254, 255));
  const group = fc.oneof(
    fc.nat(0xffff),
    fc.constantFrom(0, 1, 0xffff, 0x64, 0xff9b, 0x2001, 0x2002, 0xdb8, 0xfe80, 0xfec0, 0xfc00, 0x5efe),
  );
  const address = fc.oneof(
    fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join(".")),
    fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => groups.map((each) => each.toString(16)).join(":")),
  );
  fc.assert(
    fc.property(address, (text) => {
      const found = classifyAddress(text);
      const range = ipaddr.process(text).range();
      return found !== undefined && (found.kind !== "public" || range === "unicast");
    }),
    { numRuns: count({ quick: 2000, full: 200_000 }) },
  );
});

test("two spellings of one address are the same address", () => {
  assert.ok(isSameAddress("::ffff:1.2.3.4", "1.2.3.4"));
  assert.ok(isSameAddress("2606:4700::1", "2606:4700:0:0:0:0:0:1"));
  assert.ok(!isSameAddress("1.2.3.4", "1.2.3.5"));
  assert.ok(!isSameAddress("example.com", "example.com"));
});
