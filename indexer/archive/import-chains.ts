import { ConfigError } from "../../core/config/config.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { type ImportDeps, type Imported, importEvmChain } from "./import-evm.ts";
import { importPrimaryNetwork } from "./import-primary.ts";

/**
 * Imports the chains of an archive that the settings have, in place of a node. Rejects like `importEvmChain`, and with `ConfigError` if the
 * settings have none of them.
 */
export async function importChains(
  deps: ImportDeps,
  { evmChains, primaryNetworks }: Pick<Config, "evmChains" | "primaryNetworks">,
): Promise<Imported[]> {
  const { chains } = deps.source.manifest;
  const imported: Imported[] = [];
  for (const archived of chains) {
    const chain = evmChains.find(({ chainId }) => archived.table === "raw_blocks" && String(chainId) === archived.id);
    if (chain) imported.push(await importEvmChain(deps, chain, archived));
  }
  for (const settings of primaryNetworks) {
    const own = chains.filter(({ table, id }) => table === "primary_raw_blocks" && id === String(settings.networkId));
    if (own.length > 0) imported.push(...(await importPrimaryNetwork(deps, { settings, evmChains, chains: own })));
  }
  if (imported.length > 0) return imported;
  const ids = [...new Set(chains.map(({ table, id }) => (table === "raw_blocks" ? `chain ${id}` : `network ${id}`)))];
  throw new ConfigError(
    `the archive has ${ids.join(", ") || "no chain"}, and none of it is in the settings: add it to evmChains or primaryNetworks`,
  );
}
