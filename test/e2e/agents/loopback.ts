import type { PinnedAgent } from "./pins.ts";

/** How a CLI is told to talk to a model server on this machine: the person's configuration, so to speak. */
export interface Loopback {
  readonly model: string;
  readonly env: Readonly<Record<string, string>>;
  /** In its home folder. */
  readonly files: Readonly<Record<string, unknown>>;
}

export interface LoopbackPlace {
  readonly url: string;
  /** The folder it works in. */
  readonly cwd: string;
}

export function loopbackOf(agent: PinnedAgent, place: LoopbackPlace): Loopback {
  return { model: "fake-model", env: {}, files: {}, ...loopbacks[agent](place) };
}

const loopbacks: Readonly<Record<PinnedAgent, (place: LoopbackPlace) => Partial<Loopback>>> = {
  claude: ({ url }) => ({
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "fake",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // As root it goes without its checks only where it is told that this is a container.
      IS_SANDBOX: "1",
    },
  }),
  codex: ({ url }) => ({
    env: { FAKE_API_KEY: "fake" },
    files: {
      ".codex/config.toml": [
        'model_provider = "fake"',
        "[model_providers.fake]",
        'name = "fake"',
        `base_url = "${url}/v1"`,
        'env_key = "FAKE_API_KEY"',
        'wire_api = "responses"',
        "request_max_retries = 0",
        "stream_max_retries = 0",
      ].join("\n"),
    },
  }),
  gemini: ({ url, cwd }) => ({
    model: "gemini-2.5-flash",
    env: { GEMINI_API_KEY: "fake", GOOGLE_GEMINI_BASE_URL: url },
    files: {
      ".gemini/settings.json": {
        security: { auth: { selectedType: "gemini-api-key" } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
      },
      ".gemini/trustedFolders.json": { [cwd]: "TRUST_FOLDER" },
    },
  }),
  qwen: ({ url }) => ({
    env: { OPENAI_API_KEY: "fake", OPENAI_BASE_URL: `${url}/v1` },
    files: {
      ".qwen/settings.json": {
        security: { auth: { selectedType: "openai" } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
      },
    },
  }),
  opencode: ({ url }) => ({
    model: "fake/fake-model",
    env: { OPENCODE_DISABLE_MODELS_FETCH: "1" },
    files: {
      ".config/opencode/opencode.json": {
        model: "fake/fake-model",
        small_model: "fake/fake-model",
        share: "disabled",
        enabled_providers: ["fake"],
        provider: {
          fake: {
            npm: "@ai-sdk/openai-compatible",
            name: "Fake",
            options: { baseURL: `${url}/v1`, apiKey: "fake" },
            models: { "fake-model": { name: "Fake", limit: { context: 128_000, output: 4096 } } },
          },
        },
      },
    },
  }),
  pi: ({ url }) => ({
    model: "fake/fake-model",
    env: { PI_OFFLINE: "1" },
    files: {
      ".pi/agent/models.json": {
        providers: {
          fake: {
            baseUrl: `${url}/v1`,
            api: "openai-completions",
            apiKey: "fake",
            models: [
              {
                id: "fake-model",
                name: "Fake",
                reasoning: false,
                input: ["text"],
                cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
                contextWindow: 128_000,
                maxTokens: 4096,
              },
            ],
          },
        },
      },
    },
  }),
};
