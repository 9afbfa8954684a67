import { type Config, configSchema } from "../../core/config/config-schema.ts";

/**
 * The default settings with short poll intervals, changed by the settings of a test. Samples are compared with the node only if the test sets
 * `indexing.proofEveryBlocks`: the requests and statements would be among those that tests count.
 */
export function testConfig({ indexing, ...settings }: Readonly<Record<string, unknown>> = {}): Config {
  return configSchema.parse({
    port: 0,
    logLevel: "error",
    nftMetadata: { remote: false },
    indexing: {
      proofEveryBlocks: 0,
      ...(indexing ?? { pollIntervalMs: 20, standbyPollMs: 50, requestTimeoutMs: 5_000 }),
    },
    ...settings,
  });
}
