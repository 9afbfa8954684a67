import { utxoId } from "../../../../core/formats/codec/bytes/hashes.ts";
import type { AnyTransaction } from "../../../../core/formats/codec/transactions/credentials.ts";
import type { PrimaryChain } from "../../../../core/networks/primary-chains.ts";
import { emittedOutputs } from "../../decode/outputs.ts";
import { chainOf } from "../../network/chains.ts";
import type { NetworkFacts } from "../../network/network.ts";
import type { Batch, ChainPosition } from "../store/batch.ts";
import type { Spender } from "../store/outputs/spending.ts";
import { utxoRow } from "./utxo-row.ts";

/** Changes of a transaction to the set of unspent outputs, without rewards and refunds. */
export interface UtxoChanges {
  readonly consumedIds: readonly string[];
  readonly emittedIds: readonly string[];
  /** By asset, the amount of the inputs minus that of the outputs; only positive amounts. */
  readonly burned: ReadonlyMap<string, bigint>;
  /** Owners of the created outputs, and accounts of the C-Chain. Those of consumed outputs are known when the batch is written. */
  readonly addresses: ReadonlySet<string>;
}

/** The period of a stake, in seconds. */
export type StakePeriod = { readonly start: number; readonly end: number };

interface Spent {
  readonly txId: string;
  readonly outputIndex: number;
}

interface Input extends Spent {
  readonly assetId: string;
  readonly input: { readonly amount: bigint } | { readonly input: { readonly amount: bigint } };
}

const amountOf = ({ input }: Input): bigint => ("amount" in input ? input.amount : input.input.amount);

/** A transaction's place and the batch that its outputs are added to. */
interface OutputChange {
  /** Null for a transaction that consumes and creates no outputs, although it names them. */
  readonly batch: Batch | null;
  readonly network: NetworkFacts;
  readonly position: ChainPosition;
  readonly txSeq: number;
}

/**
 * Adds a transaction's spending and its new outputs to the batch. With a null `stake` the staked outputs are not created yet:
 * the transaction is a proposal.
 */
export function applyUtxoChanges(
  { batch, network, position, txSeq }: OutputChange,
  tx: AnyTransaction,
  stake: StakePeriod | null,
): UtxoChanges {
  const { chain, blockNumber, timestamp } = position;
  const spender: Spender = {
    chain,
    tx_seq: txSeq,
    tx_type: tx.txType,
    tx_hash: tx.id,
    block_number: blockNumber,
    block_timestamp: timestamp,
  };
  const burned = new Map<string, bigint>();
  const addresses = new Set<string>();
  const addBurned = (assetId: string, amount: bigint) => burned.set(assetId, (burned.get(assetId) ?? 0n) + amount);
  const consumedIds: string[] = [];
  const spend = ({ txId, outputIndex }: Spent, input: Input | null, source: PrimaryChain | null) => {
    const id = utxoId(txId, outputIndex);
    batch?.consume({
      utxoId: id,
      spender,
      inputIndex: consumedIds.length,
      imported: source &&
        input && {
          tx_hash: txId,
          output_index: outputIndex,
          asset_id: input.assetId,
          amount: amountOf(input),
          created_on_chain: source,
          chain,
        },
    });
    consumedIds.push(id);
    if (input) addBurned(input.assetId, amountOf(input));
  };
  const source = "sourceChain" in tx ? chainOf(network, tx.sourceChain) : null;
  if ("inputs" in tx) for (const input of tx.inputs) spend(input, input, null);
  if ("importedInputs" in tx) for (const input of tx.importedInputs) spend(input, input, source);
  if ("operations" in tx) for (const { inputIds } of tx.operations) for (const id of inputIds) spend(id, null, null);
  for (const account of accountsOf(tx)) {
    addresses.add(account.address);
    addBurned(account.assetId, account.change);
  }

  const destination = "destinationChain" in tx ? chainOf(network, tx.destinationChain) : chain;
  const emittedIds: string[] = [];
  for (const { outputIndex, assetId, output, role } of emittedOutputs(tx)) {
    const row = utxoRow(position, { txId: tx.id, outputIndex, assetId, output }, role.toUpperCase());
    if (role === "exported") row.chain = destination;
    if (role === "stake") Object.assign(row, stake && { stake_start: stake.start, stake_end: stake.end });
    for (const address of row.addresses) addresses.add(address);
    // Operations and the initial states of an asset mint: their outputs have no inputs.
    if (!isMinted(tx, outputIndex)) addBurned(assetId, -BigInt(row.amount));
    if (role === "stake" && !stake) continue;
    batch?.create(row);
    emittedIds.push(row.utxo_id);
  }
  for (const [assetId, amount] of burned) if (amount <= 0n) burned.delete(assetId);
  return { consumedIds, emittedIds, burned, addresses };
}

function isMinted(tx: AnyTransaction, outputIndex: number): boolean {
  return "outputs" in tx && ("initialStates" in tx || "operations" in tx) && outputIndex >= tx.outputs.length;
}

function accountsOf(tx: AnyTransaction): { address: string; assetId: string; change: bigint }[] {
  if ("evmInputs" in tx)
    return tx.evmInputs.map(({ address, assetId, amount }) => ({ address, assetId, change: amount }));
  if ("evmOutputs" in tx)
    return tx.evmOutputs.map(({ address, assetId, amount }) => ({ address, assetId, change: -amount }));
  return [];
}
