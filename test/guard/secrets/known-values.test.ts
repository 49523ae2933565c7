import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createMasker } from "../../../src/guard/secrets/create-masker.ts";
import { findEnvironmentSecrets } from "../../../src/guard/secrets/environment-secrets.ts";
import { count } from "../../support/counts.ts";

const secret = `a"b'c$d&e<f> g/h+i 한`;

test("a known value is masked in the forms in which programs print it [D4]", () => {
  const masker = createMasker({ values: [secret], key: "test" });
  const base64 = Buffer.from(secret).toString("base64");
  const forms = [
    secret,
    JSON.stringify(secret),
    JSON.stringify(JSON.stringify(secret)),
    encodeURIComponent(secret),
    new URLSearchParams({ q: secret }).toString(),
    base64,
    base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""),
    `'${secret.replaceAll("'", `'\\''`)}'`,
    Buffer.from(secret).toString("hex"),
  ];
  for (const form of forms) assert.match(masker.text(`x ${form} y`), /^x .*\[MASKED:known:[0-9a-f]{6}\].* y$/, form);
  const [first] = masker.text(secret).match(/\w{6}\]/) ?? [];
  assert.ok(masker.text(base64).includes(first!), "another form of the same secret has the same hash");
});

test("a known value is found inside the base64 of a longer text [D4]", () => {
  const masker = createMasker({ values: ["known-value-1234567"], key: "test" });
  for (const before of ["", "a", "ab", "abc", "user:"]) {
    const encoded = Buffer.from(`${before}known-value-1234567 and more`).toString("base64");
    const decoded = Buffer.from(masker.text(encoded).replaceAll(/\[MASKED[^\]]*\]/g, ""), "base64").toString("latin1");
    assert.doesNotMatch(decoded, /value-123/);
  }
});

test("a value that is added later is masked from then on, and one of a few letters never [D4]", () => {
  const masker = createMasker({ values: ["short"], key: "test" });
  assert.equal(masker.text("a short later-value-1"), "a short later-value-1");
  masker.add("later-value-1");
  assert.match(masker.text("a short later-value-1"), /^a short \[MASKED:known:[0-9a-f]{6}\]$/);
});

test("a known value of several lines is masked as a whole, in any pieces, and by each longer line of it [D4]", () => {
  const value = "multi\nline-of-secret-77aa\nlast one of three 9";
  const masker = createMasker({ values: [value], key: "test" });
  for (const text of [`x ${value} y\n`, `x ${value.replaceAll("\n", "\r\n")} y\n`, `multi\n${value}\n`]) {
    for (const size of [1, 3, 7, 20, 1000]) {
      const stream = masker.stream();
      let out = "";
      for (let at = 0; at < text.length; at += size) out += stream.push(text.slice(at, at + size));
      assert.equal(out + stream.end(), masker.text(text));
    }
    assert.match(masker.text(text), /^(?:x |multi\n)\[MASKED:known:\w{6}\](?: y)?\n$/);
  }
  assert.match(masker.text("f-multi_line-of-secret-77aa"), /^f-multi_\[MASKED:known:\w{6}\]$/);
  assert.match(masker.text(encodeURIComponent("last one of three 9")), /^\[MASKED:known:\w{6}\]$/);
  assert.equal(masker.text("multi"), "multi");
});

test("a long known value in an endless line is not let go in parts [D4]", () => {
  const value = "long known value. ".repeat(60);
  const masker = createMasker({ values: [value], key: "test" });
  const stream = masker.stream();
  let out = "";
  const text = `${"word ".repeat(2000)}${value}${"word ".repeat(2000)}`;
  for (let at = 0; at < text.length; at += 100) out += stream.push(text.slice(at, at + 100));
  assert.doesNotMatch(out + stream.end(), /known value/);
});

test("whatever the known value, no text leaves it in, and nothing is thrown [D4]", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 8, unit: "grapheme" }), fc.string(), fc.string(), (value, before, after) => {
      const masker = createMasker({ values: [value], key: "test" });
      const known = value.trim();
      if (known.length < 8) return;
      assert.ok(!masker.text(before + known + after).includes(known) || "[MASKED:known:".includes(known));
    }),
    { numRuns: count({ quick: 100, full: 5000 }) },
  );
});

test("secrets of an environment are told by their names, and links by their passwords [D4]", () => {
  const found = findEnvironmentSecrets({
    GITHUB_TOKEN: "gt-1234567890",
    AWS_SECRET_ACCESS_KEY: "as-1234567890",
    MYAPP_API_KEY: "ak-1234567890",
    DB_PASSWORD: "correct horse battery",
    AZURE_PAT: "pt-1234567890",
    DATABASE_URL: "postgres://app:p%40ss-word-1@db/app",
    SERVICE_ACCOUNT_CREDENTIALS: '{"type":"x","private_key":"pk-1234567890"}',
  });
  for (const value of ["gt-1234567890", "as-1234567890", "ak-1234567890", "correct horse battery", "pt-1234567890"]) {
    assert.ok(found.includes(value), value);
  }
  assert.ok(found.includes("p%40ss-word-1") && found.includes("p@ss-word-1") && found.includes("pk-1234567890"));
});

test("what only sounds secret in an environment is not: paths, switches, names, sizes [D4]", () => {
  const env = {
    PATH: "/usr/bin:/bin",
    PWD: "/home/kim/project",
    OLDPWD: "/home/kim/project",
    HOME: "/home/kim",
    SSH_AUTH_SOCK: "/tmp/ssh-abc123/agent.1",
    SSH_KEY_FILE: "/home/kim/.ssh/id_ed25519",
    GPG_KEY: "E3FF2839C048B25C084DEBE9B26995E310250568",
    KEYBOARD_LAYOUT: "qwerty-2024-layout",
    GNOME_KEYRING_CONTROL: "/run/user/1000/keyring",
    TOKENIZERS_PARALLELISM: "disabled-1",
    MAX_TOKENS: "1000000000",
    SECRET_NAME: "my-app-secret-1",
    TOKEN_URL: "https://login.example.com/token",
    API_KEY: "your-api-key-here",
    DEBUG_AUTH: "true",
    USE_TOKEN: "enabled",
    EMPTY_TOKEN: "",
    MISSING_TOKEN: undefined,
  };
  assert.deepEqual(findEnvironmentSecrets(env), []);
});
