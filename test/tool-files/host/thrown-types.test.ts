import assert from "node:assert/strict";
import { test } from "node:test";
import { hasPython, lane } from "../../support/require.ts";
import { openToolBench } from "../support.ts";

const spec = { name: "fails", description: "Fail.", input_schema: { type: "object" }, traits: { read_only: true } };
const kinds = { EACCES: "permission", EPERM: "permission", EBADMSG: "data_corruption", ENOENT: "threw" };

test("what a JavaScript tool throws is named by its kind: permission, damaged data, or its own word [V4]", async (t) => {
  const text = `export const TOOL_SPEC = ${JSON.stringify(spec)};
class IndexCorruptError extends Error { name = "IndexCorruptError"; }
export function run({ code }) {
  if (code === "class") throw new IndexCorruptError("the index");
  if (code === "own") throw Object.assign(new Error("x"), { error_type: "quota" });
  throw Object.assign(new Error(code), { code });
}`;
  const bench = await openToolBench(t, { "fails.mjs": text });
  const runtime = await bench.open();
  for (const [code, kind] of Object.entries({ ...kinds, class: "data_corruption", own: "quota" })) {
    const { errorType } = await runtime.call("fails", { code });
    assert.deepEqual([code, errorType], [code, kind]);
  }
});

test("what a Python tool raises is named by its kind as well [V4]", lane("python", hasPython()), async (t) => {
  const text = `import errno, os
TOOL_SPEC = ${JSON.stringify(spec).replace("true", "True")}
class IndexCorruptError(Exception):
    pass
class Quota(Exception):
    error_type = "quota"
def run(input_data, context):
    code = input_data["code"]
    if code == "class":
        raise IndexCorruptError("the index")
    if code == "own":
        raise Quota("x")
    raise OSError(getattr(errno, code), os.strerror(getattr(errno, code)))
`;
  const bench = await openToolBench(t, { "fails.py": text });
  const runtime = await bench.open();
  for (const [code, kind] of Object.entries({ ...kinds, class: "data_corruption", own: "quota" })) {
    const { errorType, error } = await runtime.call("fails", { code });
    assert.deepEqual([code, errorType], [code, kind], error ?? "");
  }
});
