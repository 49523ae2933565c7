import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newCapabilities } from "../../../src/tool-files/improve/check-proposal.ts";

const reach = (language: "typescript" | "python", before: string, after: string): string[] =>
  newCapabilities({ text: before, language }, { text: after, language });

describe("a JavaScript text newly reaches [V7]", () => {
  for (const [text, found] of [
    ['import { spawn } from "node:child_process";', ["child_process"]],
    ['import { spawn } from/* here */\n  "child_process";', ["child_process"]],
    ["import{readFile}from'fs/promises'", ["fs"]],
    ['import "node:net"', ["net"]],
    ['const net = await import("node:net")', ["net"]],
    ['const net = require("http2")', ["http2"]],
    ['export * from "lodash/fp"', ["lodash"]],
    ['import x from "@scope/pack/deep.js"', ["@scope/pack"]],
    ['import x from "./other.ts"', ["./other.ts"]],
    ['import x from "https://evil.example/x.js"', ["anything"]],
    ['import { createRequire } from "node:module"', ["anything"]],
    ["const x = await import(name)", ["anything"]],
    ['await import("node:" + name)', ["anything"]],
    ["await import(`node:fs`)", ["anything"]],
    ["const load = require; load(name)", ["anything"]],
    ["require.cache", ["anything"]],
    ["await fetch(url)", ["network"]],
    ["const get = fetch;", ["network"]],
    ["await f\\u0065tch(url)", ["network"]],
    ["new WebSocket(url)", ["network"]],
    ["eval(text)", ["eval"]],
    ["new Function(text)()", ["eval"]],
    ["(() => {}).constructor(text)()", ["eval"]],
    ["process.env.KEY", ["env"]],
    ["process?.env", ["env"]],
    ["process.getBuiltinModule(name)", ["process"]],
    ["const { env } = process;", ["process"]],
    ["globalThis[name](url)", ["anything"]],
    ["import.meta.dirname", ["import.meta"]],
  ] as const) {
    test(`${found.join(", ")} by ${text.replaceAll("\n", " ")}`, () => {
      assert.deepEqual(reach("typescript", "export const run = () => 1;", text), found);
    });
  }

  test("nothing by computing, and nothing that it could reach before", () => {
    const pure =
      'import { join } from "node:path";\nimport { createHash } from "crypto";\nexport const run = () => "processed";';
    assert.deepEqual(reach("typescript", "", pure), []);
    assert.deepEqual(
      reach("typescript", 'import "node:fs"; fetch(a)', 'import fs from "fs/promises"; await fetch(b)'),
      [],
    );
  });
});

describe("a Python text newly reaches [V7]", () => {
  for (const [text, found] of [
    ["import os", ["os"]],
    ["import os.path as p", ["os"]],
    ["import json, subprocess", ["subprocess"]],
    ["if x: import socket", ["socket"]],
    ["a = 1; import shutil", ["shutil"]],
    ["from urllib.request import urlopen", ["urllib"]],
    ["from \\\n  requests import get", ["requests"]],
    ["from . import other", ["."]],
    ["from .other import x", [".other"]],
    ["import importlib", ["anything"]],
    ["from sys import modules", ["anything"]],
    ['__import__("os")', ["anything"]],
    ["().__class__.__bases__[0].__subclasses__()", ["anything"]],
    ["eval(text)", ["eval"]],
    ["exec(text)", ["eval"]],
    ['open("x")', ["open"]],
    ["f = open\n", ["open"]],
  ] as const) {
    test(`${found.join(", ")} by ${text.replaceAll("\n", " ")}`, () => {
      assert.deepEqual(reach("python", "def run(i, c): return 1", text), found);
    });
  }

  test("nothing by computing, and nothing that it could reach before", () => {
    assert.deepEqual(reach("python", "", "import json, re\nfrom math import sqrt\nx = re.compile\n"), []);
    assert.deepEqual(reach("python", "import os", "from os import path\nimport os"), []);
  });
});
