export type { CallPart, CallResult, Message } from "../../../src/core/message.ts";
export type { Model, ModelEvent, ModelFailure, ModelRequest, Usage } from "../../../src/core/model.ts";
export { createScriptedModel, type ScriptedModelOptions } from "./create-scripted-model.ts";
export { parseScript } from "./parse-script.ts";
export type { Sleep } from "./play-script.ts";
export { readScript } from "./read-script.ts";
export { serializeScript, toScript } from "./record.ts";
export type {
  ExpectedResult,
  Script,
  ScriptCall,
  ScriptExpectation,
  ScriptFailure,
  ScriptModel,
  ScriptPart,
  ScriptTurn,
} from "./script.ts";
export { serveScript, type ScriptServer, type ServedRequest, type ServeOptions } from "./serve-script.ts";
