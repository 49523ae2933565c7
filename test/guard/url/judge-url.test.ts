import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { judgeAddresses, judgeUrl } from "../../../src/guard/url/judge-url.ts";
import { defaultUrlPolicy, type UrlPolicy } from "../../../src/guard/url/url-policy.ts";
import { count } from "../../support/counts.ts";
import urls from "./urls.json" with { type: "json" };

const { refused, allowed } = urls;

for (const [rule, texts] of Object.entries(refused)) {
  test(`${rule}: ${texts.length} URLs are refused, each with one sentence [G5]`, () => {
    for (const url of texts) {
      const verdict = judgeUrl(url, defaultUrlPolicy);
      assert.ok(!verdict.allowed, `allowed: ${url}`);
      assert.equal(verdict.rule, rule, `${url}: ${verdict.reason}`);
      assert.match(verdict.reason, /^The URL [^\n]+\.$/);
      assert.ok(verdict.reason.length < 300, verdict.reason);
    }
  });
}

test("public names and addresses are allowed, however they are written [G5]", () => {
  for (const url of allowed) assert.deepEqual([url, judgeUrl(url, defaultUrlPolicy).allowed], [url, true]);
});

test("what is allowed says where to connect to", () => {
  assert.deepEqual(judgeUrl("HTTP://Example.COM.:8080/a?b#c", defaultUrlPolicy), {
    allowed: true,
    href: "http://example.com.:8080/a?b#c",
    host: "example.com",
    port: 8080,
    isAddress: false,
  });
  assert.deepEqual(judgeUrl("https://[2606:4700:0::1111]", defaultUrlPolicy), {
    allowed: true,
    href: "https://[2606:4700::1111]/",
    host: "2606:4700::1111",
    port: 443,
    isAddress: true,
  });
});

const open = (policy: Partial<UrlPolicy>): UrlPolicy => ({ ...defaultUrlPolicy, ...policy });
const allows = (policy: Partial<UrlPolicy>, ...urls: string[]): boolean[] =>
  urls.map((url) => judgeUrl(url, open(policy)).allowed);

test("allowPrivate opens this machine and private networks, not metadata, link-local or reserved addresses [G5]", () => {
  const policy = { allowPrivate: true };
  assert.deepEqual(
    allows(
      policy,
      "http://localhost",
      "http://127.0.0.1",
      "http://10.1.2.3",
      "http://[::1]",
      "http://[fd00::1]",
      "http://nas",
    ),
    [true, true, true, true, true, true],
  );
  assert.deepEqual(
    allows(
      policy,
      "http://169.254.169.254",
      "http://[fd00:ec2::254]",
      "http://[fe80::1]",
      "http://0.0.0.0",
      "http://224.0.0.1",
    ),
    [false, false, false, false, false],
  );
  assert.deepEqual(allows(policy, "http://localhost:22", "file:///etc/passwd", "http://a@localhost"), [
    false,
    false,
    false,
  ]);
});

test("a listed host is reached, with a port only on that one; blocked ports stay blocked [G5]", () => {
  const policy = {
    allowHosts: ["localhost:3000", "[::1]:9000", "*.corp", "10.0.0.7", "169.254.169.254", " Wiki.LAN. "],
  };
  assert.deepEqual(
    allows(
      policy,
      "http://localhost:3000",
      "http://[::1]:9000",
      "http://a.corp",
      "http://10.0.0.7",
      "http://wiki.lan/",
    ),
    [true, true, true, true, true],
  );
  assert.deepEqual(allows(policy, "http://169.254.169.254/"), [true]);
  assert.deepEqual(
    allows(
      policy,
      "http://localhost",
      "http://[::1]",
      "http://corp",
      "http://10.0.0.8",
      "http://a.corp:22",
      "http://evilcorp",
    ),
    [false, false, false, false, false, false],
  );
  assert.deepEqual(allows({ ...policy, blockPorts: [3000, 80] }, "http://localhost:3000", "http://example.com"), [
    false,
    false,
  ]);
  assert.deepEqual(allows({ allowHosts: ["*"] }, "http://10.0.0.1", "http://169.254.169.254"), [true, false]);
  assert.deepEqual(allows({ allowHosts: ["", ":", "[", "[]:x", ":80"] }, "http://10.0.0.1"), [false]);
});

function judgeResolved(url: string, addresses: readonly string[], policy = defaultUrlPolicy): string {
  const verdict = judgeUrl(url, policy);
  assert.ok(verdict.allowed);
  return judgeAddresses(verdict, addresses, policy)?.rule ?? "allowed";
}

test("a name is refused when any of its addresses is not public [G5]", () => {
  const url = "https://example.com/";
  assert.equal(judgeResolved(url, ["93.184.215.14", "2606:2800:21f:cb07::1"]), "allowed");
  assert.equal(judgeResolved(url, ["::ffff:93.184.215.14"]), "allowed");
  assert.equal(judgeResolved(url, ["93.184.215.14", "10.0.0.1"]), "url.address");
  assert.equal(judgeResolved(url, ["93.184.215.14", "::ffff:169.254.169.254"]), "url.address");
  for (const odd of [[], ["localhost"], [""], ["fe80::1%eth0"], ["0x7f.1"], ["2606:2800::1%1"], ["1.2.3"]]) {
    assert.equal(judgeResolved(url, odd), "url.resolve");
  }
});

test("a listed name may lead to a private address, but not to metadata [G5]", () => {
  const policy = open({ allowHosts: ["wiki.example.com"] });
  assert.equal(judgeResolved("http://wiki.example.com/", ["10.0.0.1"], policy), "allowed");
  assert.equal(judgeResolved("http://wiki.example.com/", ["169.254.169.254"], policy), "url.address");
  assert.equal(judgeResolved("http://other.example.com/", ["10.0.0.1"], policy), "url.address");
});

test("no text makes it throw, and what it allows is a public http URL [G5]", () => {
  const part = fc.constantFrom(
    ..."http:// https:// @ : \\ / . % # ? [ ] :: 127 0x7f 0 1 localhost a.b com ① 。 \0 ffff".split(" "),
  );
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(part, { maxLength: 12 }).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, (url) => {
      const verdict = judgeUrl(url, defaultUrlPolicy);
      if (!verdict.allowed) return /^The URL .+\.$/s.test(verdict.reason);
      const parsed = new URL(url);
      return /^https?:$/.test(parsed.protocol) && parsed.hostname.length > 2 && parsed.username === "";
    }),
    { numRuns: count({ quick: 2000, full: 200_000 }) },
  );
});
