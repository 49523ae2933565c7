import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { temporaryFolder } from "../support/temporary.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const most = 80_000;

test("the built dashboard is small, and its page has nothing inline and nothing from elsewhere [D6]", async (t) => {
  const folder = await temporaryFolder(t);
  await build({ configFile: join(root, "vite.config.ts"), logLevel: "error", build: { outDir: folder } });
  const files = await readTree(folder);
  const shipped = files.filter(({ path }) => !path.endsWith(".txt"));
  const bytes = shipped.reduce((sum, { content }) => sum + gzipSync(content).length, 0);
  assert.ok(bytes < most, `The dashboard has ${bytes} bytes gzipped; the budget is ${most}.`);

  const page = files.find(({ path }) => path === "index.html")!.content.toString();
  assert.doesNotMatch(page, /<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)/i);
  for (const [, address] of page.matchAll(/(?:src|href)="([^"]*)"/g)) assert.match(address!, /^\/assets\//);
  for (const { path, content } of shipped) {
    if (path.endsWith(".css")) assert.doesNotMatch(content.toString(), /url\(|@import|expression\(/i, path);
    // What a policy of `default-src 'self'` would refuse.
    if (path.endsWith(".js")) assert.doesNotMatch(content.toString(), /\beval\(|new Function\(/, path);
  }
  const notices = files.find(({ path }) => path === "THIRD-PARTY-NOTICES.txt")!.content.toString();
  assert.match(notices, /^preact 11/m);
  assert.match(notices, /^uplot 1/m);
});

test("no source of the dashboard makes HTML out of text, or takes anything from elsewhere [D6]", async () => {
  const sources = (await readTree(join(root, "web"))).filter(({ path }) => /\.(tsx?|html|css)$/.test(path));
  assert.ok(sources.length > 50);
  for (const { path, content } of sources) {
    assert.doesNotMatch(
      content.toString(),
      /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc|\beval\(|new Function\(/,
      path,
    );
    assert.doesNotMatch(content.toString(), /https?:\/\//, path);
  }
});

test("letters, and the columns they are in, grow with the size that a person has chosen [D6]", async () => {
  const sheets = (await readTree(join(root, "web"))).filter(({ path }) => path.endsWith(".css"));
  assert.ok(sheets.length > 5);
  for (const { path, content } of sheets) {
    const fixed = /^\s*(?:font|font-size|line-height|grid-template-columns):(?!.*(?:max|clamp)\().*[\d.]px/m;
    assert.doesNotMatch(content.toString(), fixed, path);
    assert.doesNotMatch(content.toString(), /@media[^{]*\dpx/, path);
  }
  assert.match(sheets.find(({ path }) => path === "styles/base.css")!.content.toString(), /^html \{[^}]*font: 100%\//m);
});

async function readTree(folder: string): Promise<{ path: string; content: Buffer }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    files.map(async (file) => ({ path: file.slice(folder.length).replace(/^\//, ""), content: await readFile(file) })),
  );
}
