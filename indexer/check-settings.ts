import { ConfigError } from "../core/config/config.ts";
import type { Config } from "../core/config/config-schema.ts";
import type { Logger } from "../core/observability/logger.ts";
import { checkEvmChain } from "./evm/check-settings.ts";
import { checkCChainPlacement } from "./primary/check-placement.ts";
import { checkPrimaryNetwork } from "./primary/check-settings.ts";
import type { SettingsFindings } from "./shared/settings-findings.ts";

interface CheckedSettings {
  /** One line for each setting that contradicts its node, or that names a file which cannot be used. */
  readonly errors: readonly string[];
  /** One line for each setting that could not be checked, because its node did not answer. */
  readonly unchecked: readonly string[];
}

/** The settings that are compared. */
type ComparedSettings = Pick<Config, "evmChains" | "primaryNetworks" | "databaseUrl">;

/** Compares the settings of chains and networks with the nodes that they name, with the genesis files, and with one another. */
export async function compareSettings(config: ComparedSettings): Promise<CheckedSettings> {
  const { evmChains, primaryNetworks } = config;
  const errors: string[] = [];
  const unchecked: string[] = [];
  const findings: SettingsFindings = { error: (line) => errors.push(line), unchecked: (line) => unchecked.push(line) };
  await Promise.all([
    ...evmChains.map((chain, index) => checkEvmChain(chain, `evmChains.${index}`, findings)),
    ...primaryNetworks.map((entry, index) => checkPrimaryNetwork(entry, `primaryNetworks.${index}`, findings)),
    ...primaryNetworks.map((entry, index) => checkCChainPlacement(config, entry, `primaryNetworks.${index}`, findings)),
  ]);
  return { errors: errors.sort(), unchecked };
}

/**
 * Compares the settings of chains and networks with the nodes that they name. Throws `ConfigError`, with one line per error,
 * if a setting contradicts a node that answers, if a node URL is that of another API, or if a genesis file cannot be used. If a
 * node cannot be reached, this is only logged: the API serves what is indexed, and the indexer waits for the node.
 */
export async function checkSettings(config: ComparedSettings, logger: Logger): Promise<void> {
  const { errors, unchecked } = await compareSettings(config);
  for (const line of unchecked) logger.warn(line);
  if (errors.length > 0) throw new ConfigError(errors.join("\n"));
}
