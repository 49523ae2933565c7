import assert from "node:assert/strict";
import { test } from "node:test";
import { editTool } from "../../src/tools/files/edit.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { fail, makeFiles } from "./run-tool.ts";

test("text that only looks the same is found, and the difference is named by its code points [C1]", async (t) => {
  const folder = await temporaryFolder(t);
  const cases: [text: string, old: string, difference: string][] = [
    [
      "x\nthe caf\u00e9 is open",
      "cafe\u0301",
      "line 2 has U+00E9 where old_string has U+0065 U+0301, which looks alike",
    ],
    ["cafe\u0301", "caf\u00e9", "line 1 has U+0065 U+0301 where old_string has U+00E9, which looks alike"],
    ["\u1112\u1161\u11ab", "\ud55c", "line 1 has U+1112 U+1161 U+11AB where old_string has U+D55C, which looks alike"],
    ["a\u200bb", "ab", "line 1 has U+0061 U+200B where old_string has U+0061, which looks alike"],
    ["a = 1;", "a\u00a0= 1;", "line 1 has U+0020 where old_string has U+00A0, which looks alike"],
    ["a\nli\u0308b\nc", "a\nl\u00efb\nc", "line 2 has U+0069 U+0308 where old_string has U+00EF, which looks alike"],
    ["const \u0430bc = 1", "const abc = 1", "line 1 has U+0430 where old_string has U+0061"],
    ["  \u00a0foo();", "  foo();", "line 1 begins with 2 spaces and U+00A0, old_string has 2 spaces"],
    ["hello world", "hello wurld", "line 1 differs"],
  ];
  for (const [text, old_string, difference] of cases) {
    await makeFiles(folder, { f: text });
    const { errorType, hint } = await fail(editTool, { file_path: "f", old_string, new_string: "new" }, folder);
    const said = hint?.split("\n")[0];
    assert.deepEqual([errorType, said?.slice(said.indexOf("; ") + 2)], ["no_match", `${difference}:`]);
  }
});
