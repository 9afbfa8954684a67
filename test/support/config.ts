import { type Config, configSchema } from "../../core/config/config-schema.ts";

/** The default settings with short poll intervals, changed by the settings of a test. */
export function testConfig(settings: Readonly<Record<string, unknown>> = {}): Config {
  return configSchema.parse({
    port: 0,
    logLevel: "error",
    nftMetadata: { remote: false },
    indexing: { pollIntervalMs: 20, standbyPollMs: 50, requestTimeoutMs: 5_000 },
    ...settings,
  });
}
