import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import test from "node:test";
import { readWorkspaceContext } from "../../../src/agent/prompt/read-workspace-context.ts";
import { temporaryFolder } from "../../support/temporary.ts";

async function fill(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

function read(home: string, workdir: string, maxCharacters?: number) {
  return readWorkspaceContext({
    workdir: join(home, workdir),
    home,
    userFile: join(home, ".config/deckhand/AGENTS.md"),
    ...(maxCharacters === undefined ? {} : { maxCharacters }),
  });
}

test("notes are read from the person's own file, then from the top of the repository down to the workdir [L9]", async (t) => {
  const home = await temporaryFolder(t);
  await fill(home, {
    ".config/deckhand/AGENTS.md": "mine",
    "AGENTS.md": "above the repository",
    "repo/.git/HEAD": "",
    "repo/AGENTS.md": "top",
    "repo/CLAUDE.md": "not this one",
    "repo/packages/GEMINI.md": "packages",
    "repo/packages/a/AGENTS.md": "  \n",
    "repo/packages/a/b/CLAUDE.md": "nearest",
  });
  assert.deepEqual(await read(home, "repo/packages/a/b"), {
    files: [
      { path: join(home, ".config/deckhand/AGENTS.md"), text: "mine" },
      { path: "../../../AGENTS.md", text: "top" },
      { path: "../../GEMINI.md", text: "packages" },
      { path: "CLAUDE.md", text: "nearest" },
    ],
    notices: [],
  });
});

test("without a repository the way up ends at home, and outside of home it does not begin [L9]", async (t) => {
  const home = await temporaryFolder(t);
  await fill(home, { "AGENTS.md": "home", "work/x/AGENTS.md": "x" });
  assert.deepEqual(
    (await read(home, "work/x")).files.map(({ text }) => text),
    ["home", "x"],
  );
  const elsewhere = join(home, "nobody");
  const { files } = await readWorkspaceContext({
    workdir: join(home, "work/x"),
    home: elsewhere,
    userFile: join(elsewhere, "a"),
  });
  assert.deepEqual(files, [{ path: "AGENTS.md", text: "x" }]);
});

test("links that lead elsewhere, binary files, folders and pipes are named and not used [L9]", async (t) => {
  const home = await temporaryFolder(t);
  await fill(home, {
    "secret.md": "secret",
    "link/.git/HEAD": "",
    "env/.git/HEAD": "",
    "env/.env": "KEY=1",
    "beside/.git/HEAD": "",
    "beside/CLAUDE.md": "beside",
    "binary/.git/HEAD": "",
    "binary/AGENTS.md": Buffer.from([65, 0, 66]),
    "latin/.git/HEAD": "",
    "latin/AGENTS.md": Buffer.from([0xe9, 0x20, 0xe9]),
    "folder/.git/HEAD": "",
    "folder/AGENTS.md/x": "",
    "pipe/.git/HEAD": "",
  });
  await symlink(join(home, "secret.md"), join(home, "link/AGENTS.md"));
  await symlink(".env", join(home, "env/AGENTS.md"));
  await symlink("CLAUDE.md", join(home, "beside/AGENTS.md"));
  execFileSync("mkfifo", [join(home, "pipe/AGENTS.md")]);
  const refused = async (workdir: string): Promise<string> => {
    const { files, notices } = await read(home, workdir);
    assert.deepEqual(files, []);
    return notices.join("\n");
  };
  assert.equal(await refused("link"), "AGENTS.md is not used: it is a link to something else than a text beside it.");
  assert.equal(await refused("env"), "AGENTS.md is not used: it is a link to something else than a text beside it.");
  assert.equal(await refused("binary"), "AGENTS.md is not used: it is binary.");
  assert.equal(await refused("latin"), "AGENTS.md is not used: it is not UTF-8 text.");
  assert.equal(await refused("folder"), "AGENTS.md is not used: it is no file.");
  assert.equal(await refused("pipe"), "AGENTS.md is not used: it is no file.");
  assert.deepEqual((await read(home, "beside")).files, [{ path: "AGENTS.md", text: "beside" }]);
});

test("notes that are too long are cut, the nearest last, and it is said [L9]", async (t) => {
  const home = await temporaryFolder(t);
  await fill(home, {
    "repo/.git/HEAD": "",
    "repo/AGENTS.md": "t".repeat(100),
    "repo/a/AGENTS.md": "m".repeat(100),
    "repo/a/b/AGENTS.md": "n".repeat(100),
  });
  const { files, notices } = await read(home, "repo/a/b", 150);
  assert.deepEqual(files, [
    { path: "../AGENTS.md", text: `${"m".repeat(50)}… [50 characters cut]` },
    { path: "AGENTS.md", text: "n".repeat(100) },
  ]);
  assert.deepEqual(notices, [
    "../AGENTS.md was cut: the notes are longer than can be taken.",
    "../../AGENTS.md was left out: the notes are longer than can be taken.",
  ]);
});

test("a giant file costs no more than what is taken of it", async (t) => {
  const home = await temporaryFolder(t);
  await fill(home, { "AGENTS.md": "€".repeat(2_000_000) });
  const { files } = await read(home, ".");
  assert.match(files[0]!.text, /^€{32000}… \[\d+ characters cut\]$/);
});
