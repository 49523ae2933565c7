import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { createMasker } from "../../../src/guard/secrets/create-masker.ts";
import { count } from "../../support/counts.ts";
import { createSecretMaker } from "./make-secret.ts";

const masker = createMasker({ values: [], key: "test" });
const keys = [
  generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs1", format: "pem" }),
  generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" }),
  generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "sec1", format: "pem" }),
  generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }),
].map(String);

test("wherever a part is left out of a text of private keys, at most a few characters of one stay, also in a stream [D4]", () => {
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  const sizes = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1 });
  fc.assert(
    fc.property(fc.constantFrom(...keys), fc.tuple(place, place), sizes, (key, cuts, pieces) => {
      const whole = `a line of words\n${key}`.repeat(4);
      const [from, to] = cuts.map((each) => Math.floor(each * whole.length)).sort((a, b) => a - b);
      const text = `${whole.slice(0, from)}\n… [12,345 bytes left out] …\n${whole.slice(to)}`;
      for (const masked of [masker.text(text), inPieces(text, pieces)]) {
        for (const line of masked.split("\n")) assert.ok(!isOfKey(line, key), `${line} of ${text}`);
      }
    }),
    { numRuns: count({ quick: 300, full: 5000 }) },
  );
});

test("the last lines of a private key are masked without its first one [D4]", () => {
  for (const key of keys.slice(0, 2)) {
    const rest = key.trimEnd().split("\n").slice(5);
    const numbered = rest.map((line, at) => `${at + 5}:${line}`);
    for (const text of [rest.join("\n"), `"${rest.join("\\n")}\\n"`, `  ${rest.join("\r\n  ")}`, numbered.join("\n")]) {
      const masked = masker.text(`before\n${text}\nafter`);
      assert.match(masked, /^before\n.{0,3}\[MASKED:private-key:\w{6}\].{0,3}\nafter$/, masked);
    }
  }
});

test("a private key without armour is told by its first bytes, and a certificate is none [D4]", () => {
  for (const key of keys) {
    const bare = key.trimEnd().split("\n").slice(1, -1).join("");
    assert.match(masker.text(`key ${bare} end`), /^key \[MASKED:private-key:\w{6}\] end$/);
  }
  const ofCertificate = Buffer.from(`308203a53082028da0030201020214${"5a".repeat(60)}`, "hex").toString("base64");
  assert.equal(masker.text(ofCertificate), ofCertificate);
});

test("a stream that begins midway takes base64 lines for the rest of a key, up to the first other line [D4]", () => {
  const maker = createSecretMaker(5);
  const lines = [maker.base64(30), maker.base64(64), maker.base64(64)];
  const midway = masker.stream("midway");
  const out = midway.push(`${lines.join("\n")}\nwords again\n${lines[1]}\nx\n`) + midway.end();
  assert.match(out, new RegExp(`^\\[MASKED:private-key:\\w{6}\\]\nwords again\n${escape(lines[1]!)}\nx\n$`));
  const clean = masker.stream("midway");
  assert.equal(clean.push("/usr/lib/Foo2\n/usr/share/doc\n") + clean.end(), "/usr/lib/Foo2\n/usr/share/doc\n");
});

test("a private key of any length stays masked in a stream, which holds back a bounded part of it [D4]", () => {
  const maker = createSecretMaker(7);
  const lines = Array.from({ length: 3000 }, () => maker.base64(64));
  const out = inPieces(`-----BEGIN PRIVATE ${"KEY"}-----\n${lines.join("\n")}\nthe end\n`, [5000]);
  assert.match(out, /^(?:\[MASKED:private-key:\w{6}\]\s?)+the end\n$/);
});

test("base64 that is no key comes out of a stream as it went in, with little held back [D4]", () => {
  const maker = createSecretMaker(9);
  const stream = masker.stream();
  let [given, out] = ["", ""];
  for (let at = 0; at < 2000; at++) {
    const line = `${maker.base64(76)}\n`;
    given += line;
    out += stream.push(line);
    assert.ok(given.length - out.length < 24 * 1024, `${given.length - out.length} characters are held back`);
  }
  assert.equal(out + stream.end(), given);
});

/** Twenty characters of a key in a row; shorter parts of it can't be told from words. */
function isOfKey(line: string, key: string): boolean {
  const body = key.split("\n").slice(1, -2);
  return line.length >= 20 && body.some((part) => part.includes(line.trim()));
}

function escape(text: string): string {
  return text.replaceAll(/[+/]/g, "\\$&");
}

function inPieces(text: string, sizes: readonly number[]): string {
  const stream = masker.stream();
  let [out, at] = ["", 0];
  for (let turn = 0; at < text.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    out += stream.push(text.slice(at, at + size));
    at += size;
  }
  return out + stream.end();
}
