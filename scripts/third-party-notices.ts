// A part of the build: says whose code is in the bundle, and under which licences. Its licences ask for that.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Rolldown } from "tsdown";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly repository?: string | { readonly url?: string };
}

interface Notice {
  readonly manifest: Manifest;
  readonly text: string | undefined;
}

/** Writes `THIRD-PARTY-NOTICES.txt` beside the bundle, from the packages that really are in it. */
export function thirdPartyNotices(): Rolldown.Plugin {
  const folders = new Set<string>();
  return {
    name: "third-party-notices",
    generateBundle(_, bundle) {
      for (const output of Object.values(bundle)) {
        if (output.type !== "chunk") continue;
        for (const id of output.moduleIds) {
          const folder = packageFolderOf(id);
          if (folder !== undefined) folders.add(folder);
        }
      }
      // Declarations are a bundle of their own, and come with no package's code.
      if (folders.size === 0) return;
      this.emitFile({ type: "asset", fileName: "THIRD-PARTY-NOTICES.txt", source: renderNotices([...folders]) });
    },
  };
}

function packageFolderOf(moduleId: string): string | undefined {
  return /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(moduleId)?.[1];
}

function renderNotices(folders: readonly string[]): string {
  const notices = folders.map(readNotice).sort((a, b) => (a.manifest.name < b.manifest.name ? -1 : 1));
  const byText = Map.groupBy(notices, (notice) => textFor(notice, notices));
  const sections = [...byText].map(([text, group]) => {
    const names = group.map(({ manifest }) => `${manifest.name} ${manifest.version} (${manifest.license})`);
    return `${names.join("\n")}\n\n${text}`;
  });
  if (notices.some(({ manifest }) => manifest.license === "Apache-2.0")) sections.push(apacheText());
  const title = "This package contains code of the packages below, each under its own licence.";
  return `${[title, ...sections].join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

/** Its packages ship a reference to it; who passes them on must give a copy. */
function apacheText(): string {
  return readFileSync(new URL("./apache-2.0.txt", import.meta.url), "utf8").trim();
}

function readNotice(folder: string): Notice {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const names = globSync("{LICENSE,LICENCE,license,licence,COPYING,NOTICE}{,.md,.txt}", { cwd: folder }).sort();
  const texts = names.map((name) => readFileSync(join(folder, name), "utf8").trim());
  return { manifest, text: texts.length > 0 ? texts.join("\n\n") : licenceInReadme(folder) };
}

/** Some have it at the end of their README only. */
function licenceInReadme(folder: string): string | undefined {
  const [readme] = globSync("README{,.md}", { cwd: folder });
  const text = readme && readFileSync(join(folder, readme), "utf8");
  return text ? /^#+ *licen[cs]e[^\n]*\n+([^#]*permission is hereby granted.*)/ims.exec(text)?.[1]?.trim() : undefined;
}

/** Packages of one repository may ship its licence in some of them only. */
function textFor({ manifest, text }: Notice, all: readonly Notice[]): string {
  if (text !== undefined) return text;
  const sibling = all.find(
    (other) =>
      other.text !== undefined &&
      other.manifest.license === manifest.license &&
      repositoryOf(other.manifest) === repositoryOf(manifest),
  );
  if (sibling?.text !== undefined) return sibling.text;
  throw new Error(`${manifest.name} has no licence file; say in scripts/third-party-notices.ts where its text is.`);
}

function repositoryOf({ repository }: Manifest): string | undefined {
  return typeof repository === "string" ? repository : repository?.url;
}
