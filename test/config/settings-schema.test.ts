import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { describeSettings } from "../../src/config/settings.ts";

interface Node {
  readonly description?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: boolean | Node;
  readonly anyOf?: readonly Node[];
}

test("editors are told what every section of the settings is for", () => {
  const schema = describeSettings() as Node;
  const sections = Object.entries(schema.properties ?? {}).filter(([name]) => name !== "$schema");
  assert.ok(sections.length >= 13);
  for (const [name, { description }] of sections) assert.match(description ?? "", /^[A-Z].*\.$/, name);
});

test("editors mark the unknown keys that the runtime refuses, at every depth", () => {
  const openPlaces = openObjects(describeSettings(), "");
  assert.deepEqual(openPlaces, []);
});

test("the package brings the schema of its settings", () => {
  const { files, exports } = JSON.parse(readFileSync("package.json", "utf8")) as {
    files: string[];
    exports: Record<string, unknown>;
  };
  assert.ok(files.includes("deckhand.schema.json") && existsSync("deckhand.schema.json"));
  assert.equal(exports["./deckhand.schema.json"], "./deckhand.schema.json");
});

/** The places where any key would do although keys are listed. */
function openObjects(node: Node, path: string): string[] {
  const isOpen = node.properties !== undefined && node.additionalProperties !== false;
  const below = typeof node.additionalProperties === "object" ? [["*", node.additionalProperties] as const] : [];
  return [
    ...(isOpen ? [path || "the whole file"] : []),
    ...[...Object.entries(node.properties ?? {}), ...below].flatMap(([key, each]) =>
      openObjects(each, `${path}.${key}`),
    ),
    ...(node.anyOf ?? []).flatMap((each) => openObjects(each, path)),
  ];
}
