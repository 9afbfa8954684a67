import { ConfigError } from "../core/config/config.ts";
import type { Config } from "../core/config/config-schema.ts";
import type { Logger } from "../core/observability/logger.ts";
import { checkEvmChain } from "./evm/check-settings.ts";
import { checkPrimaryNetwork } from "./primary/check-settings.ts";
import type { SettingsFindings } from "./shared/settings-findings.ts";

/**
 * Compares the settings of chains and networks with the nodes that they name. Throws `ConfigError`, with one line per error,
 * if a setting contradicts a node that answers, if a node URL is that of another API, or if a genesis file cannot be used. If a
 * node cannot be reached, this is only logged: the API serves what is indexed, and the indexer waits for the node.
 */
export async function checkSettings(
  { evmChains, primaryNetworks }: Pick<Config, "evmChains" | "primaryNetworks">,
  logger: Logger,
): Promise<void> {
  const errors: string[] = [];
  const findings: SettingsFindings = {
    error: (line) => errors.push(line),
    unchecked: (line) => logger.warn(line),
  };
  await Promise.all([
    ...evmChains.map((chain, index) => checkEvmChain(chain, `evmChains.${index}`, findings)),
    ...primaryNetworks.map((entry, index) => checkPrimaryNetwork(entry, `primaryNetworks.${index}`, findings)),
  ]);
  if (errors.length > 0) throw new ConfigError(errors.sort().join("\n"));
}
