import type { Config } from "../../core/config/config-schema.ts";
import { formatId } from "../../core/formats/id-text.ts";
import type { SettingsFindings } from "../shared/settings-findings.ts";
import type { GenesisFile } from "./genesis/genesis-file.ts";
import { bundledGenesis, summariseGenesis } from "./genesis/genesis-summary.ts";
import { parseGenesisFile } from "./genesis/parse.ts";
import { readSettingsFile } from "./network/settings-file.ts";
import { evmChainIdOf } from "./replay/p-chain/evm-chain-id.ts";

type Network = Config["primaryNetworks"][number];

/**
 * Reports a C-Chain that is in another database than its primary network: atomic transactions are read from the C-Chain's blocks in the
 * transaction that indexes them. Reads the genesis only if the settings name several databases. A genesis file that cannot be used is
 * reported elsewhere.
 */
export async function checkCChainPlacement(
  config: Pick<Config, "evmChains" | "databaseUrl">,
  entry: Network,
  setting: string,
  findings: SettingsFindings,
): Promise<void> {
  const urlOf = ({ databaseUrl = config.databaseUrl }: Pick<Network, "databaseUrl">) => databaseUrl;
  const elsewhere = config.evmChains.filter(
    (chain) => chain.network === entry.network && urlOf(chain) !== urlOf(entry),
  );
  if (elsewhere.length === 0) return;
  const genesis = await readGenesis(entry).catch(() => null);
  if (!genesis) return;
  const cChainId = formatId(summariseGenesis(genesis).cChainId);
  const evmChainId = evmChainIdOf(Buffer.from(genesis.cChainGenesis));
  const cChain = elsewhere.find(({ chainId, blockchainId }) =>
    blockchainId === undefined ? BigInt(chainId) === evmChainId : blockchainId === cChainId,
  );
  if (cChain)
    findings.error(
      `setting evmChains.${config.evmChains.indexOf(cChain)}.databaseUrl: chain ${cChain.chainId} is the C-Chain of the primary network ${entry.network}, which is in another database (setting ${setting}.databaseUrl): both must name the same one`,
    );
}

function readGenesis({ genesisFile, networkId }: Network): Promise<GenesisFile> {
  if (genesisFile === undefined) return Promise.resolve(bundledGenesis(networkId));
  return readSettingsFile("genesisFile", genesisFile, (text) => parseGenesisFile(text, genesisFile));
}
