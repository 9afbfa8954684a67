import { utxoId } from "../../../../core/codec/bytes/hashes.ts";
import type { AtomicTransaction } from "../../../../core/codec/transactions/atomic-transactions.ts";
import { emittedOutputs, type Output } from "../../../../core/codec/transactions/outputs.ts";
import type { PTransaction } from "../../../../core/codec/transactions/p-transactions.ts";
import type { XTransaction } from "../../../../core/codec/transactions/x-transactions.ts";
import { chainOf, type PrimaryChain } from "../../network/chains.ts";
import type { NetworkFacts } from "../../network/network.ts";
import type { Batch, Place } from "../store/batch.ts";
import type { RowOf } from "../store/columns.ts";

export type AnyTransaction = PTransaction | XTransaction | AtomicTransaction;
type UtxoRow = RowOf<"utxos">;

/** What a transaction spends and makes by itself. */
export interface Moves {
  readonly consumedIds: readonly string[];
  readonly emittedIds: readonly string[];
  /** What goes in and does not come out, by asset; assets that nothing is left of are left out. */
  readonly burned: ReadonlyMap<string, bigint>;
  /** Owners of all that is consumed and made, and accounts on C; each once. */
  readonly addresses: Set<string>;
}

/** How the stake outputs of a transaction are kept. */
export type StakeTimes = { readonly start: number; readonly end: number } | null;

/** Columns of an output of any kind. */
export function outputColumns(output: Output) {
  const [lock, inner] = output.type === "stakeable.LockOut" ? [output.locktime, output.output] : [null, output];
  return {
    output_type: inner.type,
    amount: "amount" in inner ? inner.amount : 0n,
    locktime: inner.locktime,
    threshold: inner.threshold,
    addresses: inner.addresses,
    stakeable_locktime: lock,
    group_id: "groupId" in inner ? inner.groupId : null,
    payload: "payload" in inner ? inner.payload : null,
  };
}

/** A new output that nothing spends yet. */
export function utxoRow(
  { chain, blockNumber, timestamp }: Pick<Place, "chain" | "blockNumber" | "timestamp">,
  { txId, outputIndex, assetId, output }: { txId: string; outputIndex: number; assetId: string; output: Output },
  role: string,
  more: Partial<UtxoRow> = {},
): UtxoRow {
  return {
    utxo_id: utxoId(txId, outputIndex),
    tx_hash: txId,
    output_index: outputIndex,
    asset_id: assetId,
    ...outputColumns(output),
    role,
    reward_type: null,
    stake_start: null,
    stake_end: null,
    created_on_chain: chain,
    chain,
    created_block_number: blockNumber,
    created_timestamp: timestamp,
    consumed_tx_hash: null,
    consumed_block_number: null,
    consumed_timestamp: null,
    ...more,
  };
}

interface Spent {
  readonly txId: string;
  readonly outputIndex: number;
}

interface Input extends Spent {
  readonly assetId: string;
  readonly input: { readonly amount: bigint } | { readonly input: { readonly amount: bigint } };
}

const amountOf = ({ input }: Input): bigint => ("amount" in input ? input.amount : input.input.amount);

/**
 * Spends and makes a transaction's outputs. `stake` outputs are kept for that time; where it is null they are not made
 * (a proposal that nobody has decided).
 */
export function move(
  { batch, network, place }: { batch: Batch; network: NetworkFacts; place: Place },
  tx: AnyTransaction,
  stake: StakeTimes,
): Moves {
  const burned = new Map<string, bigint>();
  const addresses = new Set<string>();
  const count = (assetId: string, amount: bigint) => burned.set(assetId, (burned.get(assetId) ?? 0n) + amount);
  const consumedIds: string[] = [];
  const spend = ({ txId, outputIndex }: Spent, input: Input | null, source: PrimaryChain | null) => {
    const id = utxoId(txId, outputIndex);
    consumedIds.push(id);
    batch.consume({
      utxoId: id,
      txHash: tx.id,
      blockNumber: place.blockNumber,
      timestamp: place.timestamp,
      imported: source &&
        input && {
          tx_hash: txId,
          output_index: outputIndex,
          asset_id: input.assetId,
          amount: amountOf(input),
          created_on_chain: source,
          chain: place.chain,
        },
    });
    for (const address of batch.ownersOf(id)) addresses.add(address);
    if (input) count(input.assetId, amountOf(input));
  };
  const source = "sourceChain" in tx ? chainOf(network, tx.sourceChain) : null;
  if ("inputs" in tx) for (const input of tx.inputs) spend(input, input, null);
  if ("importedInputs" in tx) for (const input of tx.importedInputs) spend(input, input, source);
  if ("operations" in tx) for (const { inputIds } of tx.operations) for (const id of inputIds) spend(id, null, null);
  for (const account of accountsOf(tx)) {
    addresses.add(account.address);
    count(account.assetId, account.change);
  }

  const destination = "destinationChain" in tx ? chainOf(network, tx.destinationChain) : place.chain;
  const emittedIds: string[] = [];
  for (const { outputIndex, assetId, output, role } of emittedOutputs(tx)) {
    const row = utxoRow(place, { txId: tx.id, outputIndex, assetId, output }, role.toUpperCase());
    if (role === "exported") row.chain = destination;
    if (role === "stake") Object.assign(row, stake && { stake_start: stake.start, stake_end: stake.end });
    for (const address of row.addresses) addresses.add(address);
    // Operations and first states make what nothing paid for.
    if (isPaidFor(tx, outputIndex)) count(assetId, -BigInt(row.amount));
    if (role === "stake" && !stake) continue;
    batch.create(row);
    emittedIds.push(row.utxo_id);
  }
  for (const [assetId, amount] of burned) if (amount <= 0n) burned.delete(assetId);
  return { consumedIds, emittedIds, burned, addresses };
}

function isPaidFor(tx: AnyTransaction, outputIndex: number): boolean {
  return !("outputs" in tx && ("initialStates" in tx || "operations" in tx)) || outputIndex < tx.outputs.length;
}

function accountsOf(tx: AnyTransaction): { address: string; assetId: string; change: bigint }[] {
  if ("evmInputs" in tx)
    return tx.evmInputs.map(({ address, assetId, amount }) => ({ address, assetId, change: amount }));
  if ("evmOutputs" in tx)
    return tx.evmOutputs.map(({ address, assetId, amount }) => ({ address, assetId, change: -amount }));
  return [];
}
