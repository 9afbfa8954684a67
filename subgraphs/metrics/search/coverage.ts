import type { Config } from "../../../core/config/config-schema.ts";
import { type Databases, prepared, runTogether } from "../../../core/database/database.ts";
import { formatId } from "../../../core/formats/id-text.ts";
import { PRIMARY_CHAIN_ALIASES, type PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { Work } from "../../../core/work/work.ts";
import { notIndexedText } from "../../shared/not-indexed.ts";

/** The chains that a search reads: all EVM chains if `evm` is true, and the chains `primary` of each primary network. */
export interface Scope {
  readonly evm: boolean;
  readonly primary: ReadonlySet<PrimaryChain>;
}

export interface Coverage {
  /** One sentence for each configured chain of the scope of which nothing is indexed. At most one statement for each database of EVM chains, and one for each network. */
  missing(scope: Scope, work: Work): Promise<string[]>;
}

interface Row {
  /** Null for a chain of a primary network. */
  readonly chainId: string | null;
  readonly networkId: string | null;
  readonly chain: PrimaryChain | null;
  readonly isIndexed: boolean;
  readonly state: string | null;
  readonly reason: string | null;
  /** Blockchain id of the network's C-Chain; null until the genesis of the network is indexed. */
  readonly cChainId: string | null;
  readonly cChainEvmId: string | null;
}

/** The states of all EVM chains `$1`. Their tables have one row for each chain, and no partitions. */
const EVM_STATES = `SELECT k.chain_id AS "chainId", NULL::bigint AS "networkId", NULL AS chain,
    coalesce(h.block_number >= 0, false) AS "isIndexed", p.state, p.reason, NULL::bytea AS "cChainId", NULL::numeric AS "cChainEvmId"
  FROM unnest($1::bigint[]) AS k(chain_id)
  LEFT JOIN chain_heads h USING (chain_id) LEFT JOIN chain_progress p USING (chain_id)`;

/** The states of the chains of primary network `$1`. */
const PRIMARY_STATES = `SELECT NULL::bigint AS "chainId", $1::bigint AS "networkId", c.chain,
    coalesce(h.raw_seq >= 0, false) AS "isIndexed", p.state, p.reason, n.c_chain_id AS "cChainId", b.evm_chain_id AS "cChainEvmId"
  FROM unnest('{P,X,C}'::text[]) AS c(chain)
  LEFT JOIN primary_networks n ON n.network_id = $1
  LEFT JOIN blockchains b ON b.network_id = $1 AND b.blockchain_id = n.c_chain_id
  LEFT JOIN primary_heads h ON h.network_id = $1 AND h.chain = c.chain
  LEFT JOIN primary_progress p ON p.network_id = $1 AND p.chain = c.chain`;

type CoverageConfig = Pick<Config, "evmChains" | "primaryNetworks">;

/** Once a chain is indexed, it is not checked again. */
export function createCoverage(
  { evm: evmRows, primary: primaryRows }: Pick<Databases, "evm" | "primary">,
  config: CoverageConfig,
): Coverage {
  const readEvm = prepared<Row & Record<string, unknown>>(evmRows.pool, "search-coverage", EVM_STATES);
  const readPrimary = prepared<Row & Record<string, unknown>>(
    primaryRows.pool,
    "search-coverage-primary",
    PRIMARY_STATES,
  );
  const chainIds = config.evmChains.map(({ chainId }) => String(chainId));
  const networkIds = config.primaryNetworks.map(({ networkId }) => String(networkId));
  const indexed = new Set<string>();
  return {
    async missing({ evm, primary }, work) {
      const wanted = new Set([
        ...(evm ? chainIds : []),
        ...networkIds.flatMap((networkId) => [...primary].map((chain) => `${networkId} ${chain}`)),
      ]);
      if ([...wanted].every((key) => indexed.has(key))) return [];
      const ofNetworks = networkIds.map((networkId) => readPrimary.with([networkId]));
      const rows = (await runTogether([...readEvm.withEach([chainIds]), ...ofNetworks], work)).flat();
      for (const row of rows) if (row.isIndexed || isUnconfigured(row, config)) indexed.add(keyOf(row));
      return rows
        .filter((row) => wanted.has(keyOf(row)) && !indexed.has(keyOf(row)))
        .map((row) => sentence(row, config));
    },
  };
}

const keyOf = ({ chainId, networkId, chain }: Row): string => chainId ?? `${networkId} ${chain}`;

const networkOf = ({ networkId }: Row, { primaryNetworks }: CoverageConfig) =>
  primaryNetworks.find((one) => String(one.networkId) === networkId)?.network;

/** True for the C-Chain of a network if no configured EVM chain is that C-Chain: its atomic transactions are not indexed. */
function isUnconfigured(row: Row, config: CoverageConfig): boolean {
  const { chain, cChainId, cChainEvmId } = row;
  if (chain !== "C" || cChainId === null) return false;
  const blockchainId = formatId(cChainId.slice(2));
  return !config.evmChains.some((one) =>
    one.blockchainId === undefined
      ? one.network === networkOf(row, config) && String(one.chainId) === cChainEvmId
      : one.blockchainId === blockchainId,
  );
}

function sentence(row: Row, config: CoverageConfig): string {
  const { chainId, chain, state, reason } = row;
  const what =
    chain === null ? `chain ${chainId}` : `${PRIMARY_CHAIN_ALIASES[chain]} of network ${networkOf(row, config)}`;
  return notIndexedText(what, { state, reason });
}
