export type { CallPart, CallResult, Message } from "../core/message.ts";
export type { Model, ModelEvent, ModelFailure, ModelRequest, Usage } from "../core/model.ts";
export { createScriptedModel, type ScriptedModelOptions } from "./script/create-scripted-model.ts";
export { parseScript } from "./script/parse-script.ts";
export type { Sleep } from "./script/play-script.ts";
export { readScript } from "./script/read-script.ts";
export { serializeScript, toScript } from "./script/record.ts";
export type {
  ExpectedResult,
  Script,
  ScriptCall,
  ScriptExpectation,
  ScriptFailure,
  ScriptModel,
  ScriptPart,
  ScriptTurn,
} from "./script/script.ts";
export { serveScript, type ScriptServer, type ServedRequest, type ServeOptions } from "./script/serve-script.ts";
