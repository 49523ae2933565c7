import type { LanguageModelV4 } from "@ai-sdk/provider";
import { codeOf, messageOf, RuntimeError } from "../core/errors.ts";
import type { ModelKey } from "./model-options.ts";

export interface PackageModelOptions {
  readonly providerName: string;
  readonly modelName: string;
  readonly baseUrl: string | null;
  readonly key: ModelKey | null;
}

type Fetch = typeof globalThis.fetch;
type CreateModel = (fetch: Fetch) => LanguageModelV4;
type ProviderFactory = (options: Record<string, unknown>) => unknown;

/**
 * A model of any other provider package of the AI SDK that is installed beside deckhand. Looked for from here only: a
 * workdir must not bring code. Null when there is none.
 */
export async function loadPackageModel(options: PackageModelOptions): Promise<CreateModel | null> {
  const { providerName, modelName, baseUrl, key } = options;
  const packageName = `@ai-sdk/${providerName}`;
  if (!/^[a-z0-9][a-z0-9-]*$/.test(providerName)) return null;
  const factory = factoryOf(await load(packageName), providerName);
  if (factory === "missing") return null;
  if (factory === "unfit") throw unfit(packageName, "it has no function that creates a provider");
  return (fetch) => {
    const provider = factory({ fetch, ...(baseUrl && { baseURL: baseUrl }), ...(key && { apiKey: key.value }) });
    const model = languageModelOf(provider, modelName);
    if (model?.specificationVersion !== "v4") {
      throw unfit(packageName, `its models are of version ${model?.specificationVersion ?? "none"}, not v4`);
    }
    return model as LanguageModelV4;
  };
}

async function load(packageName: string): Promise<Record<string, unknown> | null> {
  try {
    return (await import(packageName)) as Record<string, unknown>;
  } catch (error) {
    const isMissing = codeOf(error) === "ERR_MODULE_NOT_FOUND" && messageOf(error).includes(`'${packageName}'`);
    if (isMissing) return null;
    throw unfit(packageName, messageOf(error));
  }
}

/** `createAmazonBedrock` of `@ai-sdk/amazon-bedrock`, in whatever case it is written. */
function factoryOf(
  module: Record<string, unknown> | null,
  providerName: string,
): ProviderFactory | "missing" | "unfit" {
  if (!module) return "missing";
  const wanted = `create${providerName.replaceAll("-", "")}`;
  const name = Object.keys(module).find((each) => each.toLowerCase() === wanted);
  const factory = name === undefined ? undefined : module[name];
  return typeof factory === "function" ? (factory as ProviderFactory) : "unfit";
}

function languageModelOf(provider: unknown, modelName: string): { readonly specificationVersion?: string } | null {
  const { languageModel } = Object(provider) as { languageModel?: (name: string) => { specificationVersion?: string } };
  return typeof languageModel === "function" ? languageModel(modelName) : null;
}

function unfit(packageName: string, why: string): RuntimeError {
  return new RuntimeError("MODEL_INVALID", `${packageName} can't be used: ${why}; install another version of it.`);
}
