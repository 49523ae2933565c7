import assert from "node:assert/strict";
import { test } from "node:test";
import { createMasker } from "../../../src/guard/secrets/create-masker.ts";

const masker = createMasker({ values: [], key: "test" });
const password = ["hunter2", "Hunter3"].join("");

/** What follows a secret in a command and must be seen; `S` is the secret. */
const commands = [
  "export PASSWORD=S;./evil.sh",
  "PASSWORD=S&&rm -rf x",
  "PASSWORD=S||/bin/evil",
  "PASSWORD=S|sh",
  "PASSWORD=S>/etc/passwd",
  "PASSWORD=S</dev/tcp/1.2.3.4/5",
  "PASSWORD=S\nevil",
  "(PASSWORD=S)",
  "tool --password=S;evil",
  "tool --password S&evil",
  "mysql -pS;evil",
  "curl -u me:S&&evil",
  "curl -u me:S(evil)",
  "bash -c 'PASSWORD=S;./evil.sh'",
  'bash -c "export PASSWORD=S;./evil.sh"',
];

test("a password in any text ends where a command follows it [D4]", () => {
  for (const command of commands) assertMasked(masker.text(withPassword(command)), command);
});

test("in a command, nothing behind an operator is masked, whatever it looks like [D4]", () => {
  const more = [
    "PASSWORD=S;E2",
    "PASSWORD=S;x9Kq2LmP",
    "echo # don't\nPASSWORD=S;E2",
    "cat <<END\ndon't\nEND\nPASSWORD=S;E2",
    "echo 'two\nlines' PASSWORD=S;E2",
    "git clone https://me:S;./evil.sh;echo@host",
  ];
  for (const command of [...commands, ...more]) {
    for (const name of ["command", "detail"]) {
      const masked = masker.value({ [name]: withPassword(command) });
      assertMasked(masked[name]!, command);
    }
    const { rules } = masker.value({ rules: [`bash(${withPassword(command)})`] });
    assertMasked(rules[0]!, `bash(${command})`);
  }
});

test("operators inside quotes or behind a backslash are a part of the password, and & ends it in a query [D4]", () => {
  const kept = [
    `PASSWORD='ab;cd|ef&12' next`,
    `PASSWORD="ab;cd|ef&12" next`,
    `tool --password 'ab;./cd12' next`,
    String.raw`PASSWORD=ab\;cd\|ef12 next`,
  ];
  for (const command of kept) {
    const masked = masker.value({ command });
    assert.match(masked.command, /[ =]["']?\[MASKED:password:\w{6}\]["']? next$/, masked.command);
  }
  const url = masker.text(`https://host/?password=${password}&user=kim`);
  assert.match(url, /password=\[MASKED:password:\w{6}\]&user=kim$/);
});

test("what an approval shows is masked alike in its parts, and shows all that would run [D4]", () => {
  const short = masker.value({
    detail: "export PASSWORD=hunter2;./evil.sh",
    rules: ["bash(export 'PASSWORD=hunter2')", "bash(./evil.sh)"],
  });
  const [mark] = /\[MASKED:password:\w{6}\]/.exec(short.detail) ?? [];
  assert.deepEqual(short, {
    detail: `export PASSWORD=${mark};./evil.sh`,
    rules: [`bash(export 'PASSWORD=${mark}')`, "bash(./evil.sh)"],
  });
  // Only the first of them says that it is a password.
  const word = masker.value({ detail: "export password=horse-staple-blue", title: "set horse-staple-blue", n: 1 });
  assert.doesNotMatch(JSON.stringify(word), /staple/);
});

function withPassword(command: string): string {
  const [before, after] = around(command);
  return before + password + after;
}

function assertMasked(masked: string, command: string): void {
  const [before, after] = around(command);
  assert.ok(!masked.includes(password), masked);
  assert.ok(masked.startsWith(before) && masked.endsWith(`]${after}`), `${command} became ${masked}`);
}

function around(command: string): [string, string] {
  const at = command.search(/(?<![A-Z])S(?![A-Z])/);
  return [command.slice(0, at), command.slice(at + 1)];
}
