import { formatAddress } from "../../../core/bech32.ts";
import { parseCheckedHex } from "../../../core/codec/bytes/checked-hex.ts";
import { decodeUtxo } from "../../../core/codec/transactions/outputs.ts";
import { formatId } from "../../../core/id-text.ts";
import type { PrimaryChain } from "../network/chains.ts";
import { outputColumns } from "../replay/transactions/utxo-changes.ts";
import { type Compared, differencesBetween, type Found, textOf, together } from "./comparison.ts";
import { PATHS, SERVICES } from "./node.ts";

const PAGE = 1_024;

/** Where outputs can be: on P and X, and between any two chains. */
const PLACES: readonly (readonly [chain: PrimaryChain, source: PrimaryChain | null])[] = [
  ["P", null],
  ["X", null],

  ["P", "X"],
  ["P", "C"],
  ["X", "P"],
  ["X", "C"],
  ["C", "P"],
  ["C", "X"],
] as const;

/** Addresses that own unspent outputs, some of them at random when there are more than `most`. */
export async function someOwners({ pool, network }: Compared, most: number): Promise<string[]> {
  const { rows } = await pool.query<{ address: Buffer }>(
    `SELECT address FROM (SELECT DISTINCT unnest(addresses) AS address FROM utxos
       WHERE network_id = $1 AND consumed_tx_hash IS NULL) owners ORDER BY random() LIMIT $2`,
    [network.networkId, most],
  );
  return rows.map(({ address }) => address.toString("hex"));
}

/** Every unspent output of these addresses (hex), on the chains and between them. */
export async function compareOutputs(compared: Compared, addresses: readonly string[]): Promise<Found> {
  const all: Found[] = [];
  for (const address of addresses)
    for (const [chain, source] of PLACES) {
      const where = source ? `output from ${source} for ${chain}` : `output on ${chain}`;
      const [ours, theirs] = [
        await ourOutputs(compared, address, chain, source),
        await theirOutputs(compared, address, chain, source),
      ];
      all.push(
        differencesBetween(
          `${where} of ${formatAddress({ chain, prefix: compared.network.hrp, address })},`,
          ours,
          theirs,
        ),
      );
    }
  return together(all);
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

async function ourOutputs(
  { pool, network }: Compared,
  address: string,
  chain: PrimaryChain,
  source: PrimaryChain | null,
) {
  const { rows } = await pool.query<UtxoRow>(
    `SELECT * FROM utxos u WHERE network_id = $1 AND chain = $3
       AND (cardinality(addresses) = 1 AND addresses = ARRAY[$2::bytea] OR cardinality(addresses) <> 1 AND addresses @> ARRAY[$2::bytea])
       AND consumed_tx_hash IS NULL
       AND (role = 'EXPORTED') = ($4::text IS NOT NULL) AND ($4 IS NULL OR created_on_chain = $4)
       AND NOT (role = 'STAKE' AND EXISTS (SELECT FROM stakers s WHERE s.network_id = u.network_id
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

async function theirOutputs(
  { node, network }: Compared,
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
