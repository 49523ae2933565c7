import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { judgePath, type PathVerdict } from "../../../src/guard/path/judge-path.ts";
import { temporaryFolder } from "../../support/temporary.ts";

async function openWorkdir(t: TestContext, files: readonly string[] = []): Promise<string> {
  const work = join(await temporaryFolder(t), "work");
  for (const file of ["a.txt", ...files]) {
    mkdirSync(dirname(join(work, file)), { recursive: true });
    writeFileSync(join(work, file), "x");
  }
  return work;
}

/** `ok`, or the kind of refusal, with "?" when a person may allow it. */
function brief({ allowed, ask, kind }: PathVerdict): string {
  return allowed ? kind : `${kind}${ask ? "?" : ""}`;
}

test("a verdict says where a path leads, or why it can't be used [G1]", async (t) => {
  const workdir = await openWorkdir(t);
  symlinkSync("a.txt", join(workdir, "link"));
  assert.deepEqual(judgePath("link", "read", { workdir }), {
    allowed: true,
    ask: false,
    kind: "ok",
    reason: null,
    resolved: join(workdir, "a.txt"),
  });
  assert.deepEqual(judgePath("../x", "read", { workdir }), {
    allowed: false,
    ask: false,
    kind: "outside",
    reason: "../x is outside the workdir.",
    resolved: null,
  });
  assert.deepEqual(judgePath(".git/config", "write", { workdir }), {
    allowed: false,
    ask: true,
    kind: "protected",
    reason: "Changing .git/config needs a person: .git can make git run programs.",
    resolved: join(workdir, ".git/config"),
  });
  assert.deepEqual(judgePath(".env", "read", { workdir }), {
    allowed: false,
    ask: true,
    kind: "secret",
    reason: "Reading .env needs a person: secrets are kept in files of this name.",
    resolved: join(workdir, ".env"),
  });
});

test("names that run things are changed only with a person, in any case, at any depth, also when missing [G1]", async (t) => {
  const workdir = await openWorkdir(t);
  const names = [
    "deckhand.json",
    "sub/deckhand.json",
    "tools/x.ts",
    "tools",
    ".git",
    ".git/hooks/pre-commit",
    ".git/HEAD",
    "vendor/lib/.git/config",
    ".GIT/config",
    ".Git/Hooks/x",
    ".g\u200cit/config",
    ".gitmodules",
    ".mcp.json",
    ".bashrc",
    ".BASHRC",
    ".zſhrc",
    ".zshenv",
    ".profile",
    ".envrc",
    "deep/er/.envrc",
    ".config/fish/config.fish",
    ".vscode/tasks.json",
    ".idea/workspace.xml",
    "my.code-workspace",
    ".devcontainer/devcontainer.json",
    ".husky/pre-commit",
    ".pre-commit-config.yaml",
    ".npmrc",
    ".ssh/authorized_keys",
    ".local/state/deckhand/1a2b/grants.jsonl",
    ".config/systemd/user/x.service",
    "./.git//config",
    "a/../.git/config",
    join(workdir, ".git/config"),
  ];
  for (const path of names) {
    for (const operation of ["write", "edit", "delete", "move", "chmod", "mkdir", "anything else"]) {
      assert.equal(brief(judgePath(path, operation, { workdir })), "protected?", `${operation} ${path}`);
    }
  }
});

test("what only looks like a protected name is free [G1]", async (t) => {
  const workdir = await openWorkdir(t);
  const names = [
    ".gitignore",
    ".gitattributes",
    ".gitkeep",
    ".github/README",
    ".github/workflows/ci.yml",
    "git/hooks/x",
    "hooks/pre-commit",
    ".vscodex/settings.json",
    "vscode/settings.json",
    "bashrc",
    "docs/bashrc.md",
    "deckhand.json.md",
    "my-deckhand.json",
    "src/tools/files/read.ts",
    "toolset/x",
    ".deckhand-notes/a",
    "Makefile",
    "package.json",
    ".prettierrc",
    "mcp.json",
    "profile",
    ".config/app.json",
  ];
  for (const path of names) {
    for (const operation of ["write", "edit", "delete", "move", "chmod"]) {
      assert.equal(brief(judgePath(path, operation, { workdir })), "ok", `${operation} ${path}`);
    }
  }
});

test("the protected paths are a parameter, also where one is a link or lies below what is removed [G1]", async (t) => {
  const workdir = await openWorkdir(t, ["settings/real.json", "shop/own/a.ts"]);
  symlinkSync("settings/real.json", join(workdir, "conf"));
  const place = { workdir, protectedPaths: ["conf", "shop/own"] };
  const cases: [path: string, operation: string, expected: string][] = [
    ["conf", "write", "protected?"],
    ["settings/real.json", "write", "protected?"],
    ["settings/other.json", "write", "ok"],
    ["shop/own/b.ts", "write", "protected?"],
    ["SHOP/Own/b.ts", "write", "protected?"],
    ["shop/other", "write", "ok"],
    ["shop", "delete", "protected?"],
    ["shop", "move", "protected?"],
    ["settings", "delete", "protected?"],
    ["tools/x.ts", "write", "ok"],
    [".git/config", "write", "protected?"],
  ];
  for (const [path, operation, expected] of cases) {
    assert.equal(brief(judgePath(path, operation, place)), expected, `${operation} ${path}`);
  }
});

test("files of secrets are shown only with a person, by their name or by what they lead to [G1]", async (t) => {
  const secrets = [
    ".env",
    ".env.local",
    ".env.production.local",
    ".env-prod",
    ".env~",
    ".env.bak",
    ".envrc",
    "prod.env",
    ".ENV",
    "packages/a/.env",
    "server.pem",
    "Server.PEM",
    "tls/server.key",
    "id_rsa",
    "id_ed25519",
    "id_ecdsa_work",
    "id_rsa.old",
    "store.p12",
    ".netrc",
    ".pgpass",
    ".npmrc",
    ".git-credentials",
    "credentials",
    "credentials.json",
    "secrets.yaml",
    "client_secret_1.apps.json",
    ".aws/config",
    ".ssh/config",
    ".local/state/deckhand/mask-key",
    "state/daemon-token",
    "state/mcp-token",
    ".docker/config.json",
    ".bash_history",
  ];
  const workdir = await openWorkdir(t, secrets);
  for (const [index, path] of secrets.entries()) {
    for (const operation of ["read", "edit", "move", "execute"]) {
      const kind = brief(judgePath(path, operation, { workdir }));
      assert(kind === "secret?" || (kind === "protected?" && operation !== "read"), `${operation} ${path}: ${kind}`);
    }
    symlinkSync(path, join(workdir, `notes-${index}.txt`));
    assert.equal(brief(judgePath(`notes-${index}.txt`, "read", { workdir })), "secret?", `a link to ${path}`);
  }
});

test("examples, public keys and names that only look secret are free [G1]", async (t) => {
  const workdir = await openWorkdir(t);
  const names = [
    ".env.example",
    ".env.sample",
    ".env.template",
    ".env.dist",
    ".env.local.example",
    "example.env",
    "env.ts",
    "environment.md",
    "src/env/index.ts",
    "id_rsa.pub",
    ".ssh/id_ed25519.pub",
    "id_map.ts",
    "id_generator.py",
    "identity.ts",
    "keys.ts",
    "keyboard.ts",
    "monkey.md",
    "secrets.ts",
    "credentials.ts",
    "secret.txt",
    "secrets/README.md",
    "server.crt",
    "token.ts",
  ];
  for (const path of names) assert.equal(brief(judgePath(path, "read", { workdir })), "ok", path);
  for (const path of [".env", "server.pem"]) assert.equal(brief(judgePath(path, "write", { workdir })), "ok", path);
  assert.equal(brief(judgePath(".ssh", "list", { workdir })), "ok");
});

test("Deckhand's own records are read, and changed by nobody [G1]", async (t) => {
  const workdir = await openWorkdir(t, [".deckhand/outputs/o.txt", "below/.deckhand/deckhand.db"]);
  symlinkSync(".deckhand", join(workdir, "records"));
  for (const path of [
    ".deckhand/outputs/o.txt",
    ".DECKHAND/new",
    "records/x",
    "below/.deckhand/deckhand.db",
    ".deckhand",
  ]) {
    for (const operation of ["write", "edit", "delete", "chmod", "mkdir"]) {
      assert.equal(brief(judgePath(path, operation, { workdir })), "own", `${operation} ${path}`);
    }
  }
  assert.equal(brief(judgePath(".deckhand/outputs/o.txt", "read", { workdir })), "ok");
  assert.equal(brief(judgePath("records/outputs", "list", { workdir })), "ok");
});

test("the workdir itself, other kinds of files and impossible paths are refused, whoever is asked [G1]", async (t) => {
  const workdir = await openWorkdir(t, ["dir/x", "hard"]);
  execFileSync("mkfifo", [join(workdir, "pipe")]);
  linkSync(join(workdir, "hard"), join(workdir, "hard-too"));
  symlinkSync("/dev/null", join(workdir, "device"));
  symlinkSync("loop", join(workdir, "loop"));
  const cases: [path: string, operation: string, expected: string][] = [
    [".", "delete", "invalid"],
    ["dir/..", "move", "invalid"],
    [workdir, "write", "invalid"],
    [`${workdir}/`, "chmod", "invalid"],
    [".", "list", "ok"],
    ["..", "delete", "outside"],
    [dirname(workdir), "delete", "outside"],
    ["dir", "write", "invalid"],
    ["new/", "write", "invalid"],
    ["dir", "delete", "ok"],
    ["pipe", "read", "invalid"],
    ["pipe", "write", "invalid"],
    ["pipe", "delete", "ok"],
    ["device", "read", "outside"],
    ["device", "delete", "ok"],
    ["loop", "read", "invalid"],
    ["a.txt/x", "read", "invalid"],
    ["hard", "read", "ok"],
    ["hard", "write", "ok"],
    ["hard", "chmod", "invalid"],
    ["", "read", "invalid"],
    ["a\0", "read", "invalid"],
    ["\ud800", "read", "invalid"],
    ["x".repeat(256), "write", "invalid"],
    ["x".repeat(255), "write", "ok"],
    ["d/".repeat(2100), "write", "invalid"],
    ["~/x", "write", "ok"],
    ["%2e%2e/x", "write", "ok"],
    ["$HOME/x", "write", "ok"],
    ["．．/x", "write", "ok"],
  ];
  for (const [path, operation, expected] of cases) {
    const verdict = judgePath(path, operation, { workdir });
    assert.equal(brief(verdict), expected, `${operation} ${path.slice(0, 40)}`);
    if (!verdict.allowed) assert.match(verdict.reason ?? "", /^\S[^]*\.$/);
  }
});

test("judging never throws, whatever comes", async (t) => {
  const workdir = await openWorkdir(t);
  for (const path of [undefined, null, 7, {}, ["a.txt"]] as unknown[] as string[]) {
    assert.equal(brief(judgePath(path, "read", { workdir })), "invalid");
  }
  assert.equal(brief(judgePath("a", undefined as unknown as string, { workdir })), "ok");
  assert.match(
    judgePath("a", "read", { workdir: join(workdir, "gone") }).reason ?? "",
    /^The workdir .* does not exist\.$/,
  );
});
