import { checkModelName, chooseModel } from "../models/choose-model.ts";
import type { ModelSettings, ProviderSettings } from "../models/model-options.ts";
import { openFetch } from "../models/http/open-fetch.ts";
import { openModel } from "../models/open-model.ts";
import type { Model } from "../core/model.ts";
import type { Configuration } from "../config/configuration.ts";
import type { Environment } from "../core/process.ts";
import type { ModelSetting } from "../config/model-settings.ts";

export type ChosenModel =
  | { readonly model: Model; /** Half a sentence. */ readonly why: string }
  | { readonly model: null; /** A short page of what to do. */ readonly advice: string };

/** The model of that name, or the one that is configured, has a key, or runs on this machine. */
export async function openNamedModel(
  { configuration, env, workdir }: { configuration: Configuration; env: Environment; workdir: string },
  name: string | undefined,
): Promise<ChosenModel> {
  const settings = configuration.model;
  const fetch = openFetch(env);
  const choice = await chooseModel({ env, configured: name ?? settings.name ?? null, fetch });
  if (choice.name === null) return { model: null, advice: choice.advice };
  const model = await openModel(choice.name, {
    env,
    settings: toModelSettings(settings),
    fetch,
    workdir,
    openScript,
  });
  return { model, why: choice.why };
}

/** Whether a job may name it: a key that is missing here may be there when it runs. Throws MODEL_INVALID. */
export async function checkNamedModel(
  { configuration, workdir }: { configuration: Configuration; workdir: string },
  name: string,
): Promise<void> {
  await checkModelName(name.trim(), { settings: toModelSettings(configuration.model), workdir, openScript });
}

async function openScript(path: string): Promise<Model> {
  return (await import("../../packages/testing/src/read-script.ts")).openScriptedModel(path);
}

function toModelSettings({ base_url, max_output_tokens, context_tokens, providers = {} }: ModelSetting): ModelSettings {
  return {
    ...(base_url === undefined ? {} : { baseUrl: base_url }),
    ...(max_output_tokens === undefined ? {} : { maxOutputTokens: max_output_tokens }),
    ...(context_tokens === undefined ? {} : { contextTokens: context_tokens }),
    providers: Object.fromEntries(Object.entries(providers).map(([name, each]) => [name, toProvider(each)])),
  };
}

function toProvider(each: NonNullable<ModelSetting["providers"]>[string]): ProviderSettings {
  return {
    kind: each.kind,
    ...(each.base_url === undefined ? {} : { baseUrl: each.base_url }),
    ...(each.key_variable === undefined ? {} : { keyVariable: each.key_variable }),
    ...(each.headers === undefined ? {} : { headers: each.headers }),
  };
}
