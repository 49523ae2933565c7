import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openInBrowser } from "../process/open-in-browser.ts";
import type { Environment } from "../core/process.ts";

/**
 * Opens a link that has a secret in it. By way of a private file: what is named on a command line can be read by every user of
 * this machine. False where there is no browser to be opened.
 */
export function openSecretLink(link: string, stateFolder: string, env: Environment): Promise<boolean> {
  const page = join(stateFolder, "open-dashboard.html");
  const text = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${link}"><a href="${link}">Dashboard</a>\n`;
  writeFileSync(page, text, { mode: 0o600 });
  return openInBrowser(pathToFileURL(page).href, env);
}
