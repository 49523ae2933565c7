import { findProvider, unknownProvider } from "./find-provider.ts";
import { loadPackageModel } from "./load-package-model.ts";
import { pathOfScript, type OpenModelOptions } from "./open-model.ts";

/**
 * Whether there can be a model of that name, for whoever asks it later: the key may be elsewhere. Sends nothing. Throws
 * MODEL_INVALID with the sentence that opening it would give.
 */
export async function checkModelName(
  name: string,
  { settings, workdir, openScript }: Pick<OpenModelOptions, "settings" | "workdir" | "openScript">,
): Promise<void> {
  const script = pathOfScript(name, workdir);
  if (script !== undefined) return void (await openScript(script));
  const { provider, providerName, modelName } = findProvider(name, settings);
  if (provider) return;
  const create = await loadPackageModel({ providerName, modelName, baseUrl: null, key: null });
  if (!create) throw unknownProvider(providerName, settings);
}
