import assert from "node:assert/strict";
import { test } from "node:test";
import { explainRefusal } from "../../src/process/sandbox/probe-sandbox.ts";
import { viewOf } from "./support.ts";

const view = viewOf("/w", {
  hidden: ["/home/me/.ssh"],
  readOnly: [".git/config", "/w/.mcp.json"],
  writable: ["/extra"],
});

test("only what looks like a refusal of the sandbox is explained, and the narrowest reason is given [G4]", () => {
  const places =
    'The sandbox lets commands write only to /w, /tmp, /extra: the person can allow more with the setting "sandbox.writable".';
  const kept = (name: string): string =>
    `${name} is protected: commands can't change it. Ask the person, or use write or edit, which ask.`;
  const answers: [string, string | null][] = [
    ["", null],
    ["all tests failed", null],
    ["cat: x: No such file or directory", null],
    ["touch: cannot touch '/etc/x': Read-only file system", places],
    ["npm error EROFS: read-only", places],
    ["sh: cannot create .git/config: Read-only file system", kept(".git/config")],
    ["error: could not write config file .git/config: Device or resource busy", kept(".git/config")],
    ["sh: 1: cannot create .mcp.json: Is a directory", kept("/w/.mcp.json")],
    ["rm: cannot remove '/w/.mcp.json': Device or resource busy", kept("/w/.mcp.json")],
    ["sh: cannot create .git/config.bak: Read-only file system", places],
    ["fatal: /other/.git/config: Read-only file system", places],
    ["cat: /home/me/.ssh/id_rsa: No such file or directory", "/home/me/.ssh is hidden from commands by the sandbox."],
    ["cat: /home/me/.sshx: No such file or directory", null],
    ["curl: (6) Could not resolve host: example.org", null],
  ];
  for (const [output, answer] of answers) assert.equal(explainRefusal(view, output), answer, output);
  const offline = { ...view, network: false };
  assert.match(explainRefusal(offline, "curl: (6) Could not resolve host: example.org")!, /sandbox\.network/);
});
