import { formatAddress } from "../../../core/formats/bech32.ts";
import { formatId } from "../../../core/formats/id-text.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { decodeUtxo } from "../decode/outputs.ts";
import { parseCheckedHex } from "../fetch/checked-hex.ts";
import { outputColumns } from "../replay/transactions/utxo-row.ts";
import { type ComparisonDeps, type ComparisonResult, combined, differencesBetween, textOf } from "./comparison.ts";
import { PATHS, SERVICES } from "./node.ts";

const PAGE = 1_024;

/** Where unspent outputs can be: on P and X, and exported from one chain to another. */
const LOCATIONS: readonly (readonly [chain: PrimaryChain, source: PrimaryChain | null])[] = [
  ["P", null],
  ["X", null],

  ["P", "X"],
  ["P", "C"],
  ["X", "P"],
  ["X", "C"],
  ["C", "P"],
  ["C", "X"],
] as const;

/** Addresses (hex) that own unspent outputs: all, or a random sample of `limit`. */
export async function someOwners({ pool, network }: ComparisonDeps, limit: number): Promise<string[]> {
  const { rows } = await pool.query<{ address: Buffer }>(
    `SELECT address FROM (SELECT DISTINCT unnest(addresses) AS address FROM utxos
       WHERE network_id = $1 AND consumed_tx_hash IS NULL) owners ORDER BY random() LIMIT $2`,
    [network.networkId, limit],
  );
  return rows.map(({ address }) => address.toString("hex"));
}

/**
 * Compares every unspent output of these addresses (hex) on some chains, by default all, with the node's `getUTXOs`. Outputs between two chains
 * are compared only if both are `indexed`: the blocks of the one create them, those of the other consume them.
 */
export async function compareOutputs(
  compared: ComparisonDeps,
  addresses: readonly string[],
  indexed: readonly PrimaryChain[],
  chains: readonly PrimaryChain[] = indexed,
): Promise<ComparisonResult> {
  const all: ComparisonResult[] = [];
  const isKnown = ([chain, source]: (typeof LOCATIONS)[number]): boolean =>
    chains.includes(chain) && indexed.includes(chain) && (source === null || indexed.includes(source));
  for (const address of addresses)
    for (const [chain, source] of LOCATIONS.filter(isKnown)) {
      const name = source ? `output exported from ${source} to ${chain}` : `output on ${chain}`;
      const stored = await indexedOutputs(compared, address, chain, source);
      const node = await nodeOutputs(compared, address, chain, source);
      all.push(
        differencesBetween(
          `${name} of ${formatAddress({ chain, prefix: compared.network.hrp, address })},`,
          stored,
          node,
        ),
      );
    }
  return combined(all);
}

interface UtxoRow {
  readonly utxo_id: Buffer;
  readonly asset_id: Buffer;
  readonly output_type: string;
  readonly amount: string;
  readonly locktime: string;
  readonly threshold: string;
  readonly addresses: readonly Buffer[];
  readonly stakeable_locktime: string | null;
  readonly group_id: string | null;
  readonly payload: Buffer | null;
}

async function indexedOutputs(
  { pool, network }: ComparisonDeps,
  address: string,
  chain: PrimaryChain,
  source: PrimaryChain | null,
) {
  const { rows } = await pool.query<UtxoRow>(
    `SELECT * FROM utxos u WHERE network_id = $1 AND chain = $3
       AND (cardinality(addresses) = 1 AND addresses = ARRAY[$2::bytea] OR cardinality(addresses) <> 1 AND addresses @> ARRAY[$2::bytea])
       AND consumed_tx_hash IS NULL
       AND (role = 'EXPORTED') = ($4::text IS NOT NULL) AND ($4 IS NULL OR created_on_chain = $4)
       AND NOT (role = 'STAKE' AND EXISTS (SELECT FROM stakers s WHERE s.network_id = $1
         AND s.tx_hash = u.tx_hash AND s.status IN ('PENDING', 'ACTIVE')))`,
    [network.networkId, `\\x${address}`, chain, source],
  );
  return new Map(
    rows.map((row) => [
      formatId(row.utxo_id.toString("hex")),
      textOf({
        asset_id: row.asset_id.toString("hex"),
        output_type: row.output_type,
        amount: row.amount,
        locktime: row.locktime,
        threshold: row.threshold,
        stakeable_locktime: row.stakeable_locktime,
        addresses: row.addresses.map((one) => one.toString("hex")),
        group_id: row.group_id,
        payload: row.payload?.toString("hex") ?? null,
      }),
    ]),
  );
}

async function nodeOutputs(
  { node, network }: ComparisonDeps,
  address: string,
  chain: PrimaryChain,
  source: PrimaryChain | null,
) {
  const found = new Map<string, string>();
  const text = formatAddress({ chain, prefix: network.hrp, address });
  let startIndex: unknown;
  for (;;) {
    const params = { addresses: [text], limit: PAGE, encoding: "hex", sourceChain: source ?? undefined, startIndex };
    const answer = (await node.ask(PATHS[chain], `${SERVICES[chain]}.getUTXOs`, params)) as {
      readonly utxos: readonly string[];
      readonly endIndex: unknown;
    };
    for (const bytes of answer.utxos) {
      const { utxoId, assetId, output } = decodeUtxo(parseCheckedHex(bytes, "UTXO"));
      found.set(formatId(utxoId), textOf({ asset_id: assetId, ...outputColumns(output) }));
    }
    if (answer.utxos.length < PAGE) return found;
    startIndex = answer.endIndex;
  }
}
