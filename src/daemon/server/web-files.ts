import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import type { Endpoint } from "./route.ts";
import { guardHeaders, HttpError } from "./send.ts";

/** Nothing from elsewhere, nothing inline, in nobody's frame. */
const policy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "object-src 'none'",
  "frame-ancestors 'none'",
].join("; ");

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};

/** Built, all lies in one folder with this file; unbuilt, beside the sources. */
const folders = import.meta.url.endsWith(".ts") ? ["../../../dist/web/", "../../../web/dist/"] : ["./web/"];

/** The dashboard. A path without a dot in it is a page, and every page is the same file. */
export const webFiles: Endpoint = {
  method: "GET",
  path: "/",
  needs: "nothing",
  isAlways: true,
  async answer({ params, response }) {
    const path = params["path"] ?? "/";
    const name = path.includes(".") ? path.slice(1) : "index.html";
    const content = await readWebFile(name);
    if (content === null && name !== "index.html") throw new HttpError("NOT_FOUND", `There is no file ${path}.`);
    const body = content ?? Buffer.from(notBuilt);
    response.writeHead(200, {
      "content-type": types[extname(name)] ?? "application/octet-stream",
      "content-length": body.length,
      // The names of assets have the hash of their content in them.
      "cache-control": isAsset(name) ? "public, max-age=31536000, immutable" : "no-cache",
      "content-security-policy": policy,
      ...guardHeaders,
    });
    response.end(body);
  },
};

/** What has its hash in its name never changes: once in memory, however many ask for it and read it slowly. */
const assets = new Map<string, Promise<Buffer | null>>();

async function readWebFile(name: string): Promise<Buffer | null> {
  if (!isAsset(name)) return readFromFolders(name);
  const reading = assets.get(name) ?? readFromFolders(name);
  assets.set(name, reading);
  const content = await reading;
  if (content === null) assets.delete(name);
  return content;
}

function isAsset(name: string): boolean {
  return name.startsWith("assets/");
}

/** Null when there is none of that name. Only plain names: nothing leads out of the folder. */
async function readFromFolders(name: string): Promise<Buffer | null> {
  if (!/^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name)) return null;
  for (const folder of folders) {
    try {
      return await readFile(new URL(name, new URL(folder, import.meta.url)));
    } catch {
      // Not in this one.
    }
  }
  return null;
}

const notBuilt = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Deckhand</title>
<p>The daemon runs, but its dashboard was not built: run <code>npm run build</code>, then load this page again.</p></html>
`;
