import type { AtomicTransaction } from "../../../../core/codec/transactions/atomic-transactions.ts";
import type { PTransaction, PTransactionOf } from "../../../../core/codec/transactions/p-transactions.ts";
import type { Batch, Place } from "../store/batch.ts";
import type { RowOf } from "../store/columns.ts";
import type { AnyTransaction, Moves } from "./utxo-changes.ts";

type TransactionRow = RowOf<"primary_transactions">;
/** Columns that only some types have. */
export type Described = Partial<
  Pick<
    TransactionRow,
    | "l1_balance_burned"
    | "start_timestamp"
    | "end_timestamp"
    | "delegation_shares"
    | "node_id"
    | "subnet_id"
    | "reward_addresses"
    | "staking_tx_hash"
    | "bls_public_key"
    | "bls_proof_of_possession"
  >
> & { readonly details?: Details };

/** What few types have, as the `details` column holds it; ids and addresses in hex, amounts as decimal text. */
export interface Details {
  readonly subnetOwner?: OwnerText;
  readonly l1Manager?: { readonly blockchainId: string; readonly address: string };
  readonly l1Validators?: readonly L1ValidatorText[];
  /** What the first cycle of an auto-renewed validator was promised, in nAVAX. */
  readonly estimatedReward?: string;
  readonly evmInputs?: readonly AccountText[];
  readonly evmOutputs?: readonly AccountText[];
  /** Of a transaction that was proposed: whether it took effect. */
  readonly isCommitted?: boolean;
}

export interface OwnerText {
  readonly locktime: string;
  readonly threshold: number;
  readonly addresses: readonly string[];
}

/** State of an L1 validator behind the transaction. */
export interface L1ValidatorText {
  readonly validationId: string;
  readonly nodeId: string;
  readonly subnetId: string;
  readonly weight: string;
  readonly remainingBalance: string;
  /** Negative when balance was given back; absent when the transaction did not touch it. */
  readonly balanceChange?: string;
  readonly publicKey: string;
  readonly proofOfPossession: string;
}

export interface AccountText {
  readonly address: string;
  readonly assetId: string;
  readonly amount: string;
  readonly nonce?: number;
}

interface Owner {
  readonly locktime: bigint;
  readonly threshold: number;
  readonly addresses: readonly string[];
}

export function ownerText({ locktime, threshold, addresses }: Owner): OwnerText {
  return { locktime: String(locktime), threshold, addresses };
}

type Validation = PTransactionOf<"AddValidatorTx" | "AddDelegatorTx" | "AddSubnetValidatorTx">;

const validation = ({ validator: { nodeId, start, end } }: Pick<Validation, "validator">) => ({
  node_id: nodeId,
  start_timestamp: start,
  end_timestamp: end,
});

const unique = (...owners: readonly Owner[]): string[] => [...new Set(owners.flatMap(({ addresses }) => addresses))];

const blsColumns = (signer: PTransactionOf<"AddPermissionlessValidatorTx">["signer"]) =>
  "publicKey" in signer && {
    bls_public_key: signer.publicKey,
    bls_proof_of_possession: signer.proofOfPossession,
  };

type Describe = { readonly [Type in PTransaction["txType"]]?: (tx: PTransactionOf<Type>) => Described };

/** What a P-Chain transaction says of itself; what its effects add comes from who applies them. */
const DESCRIBE: Describe = {
  AddValidatorTx: (tx) => ({
    ...validation(tx),
    delegation_shares: tx.shares,
    reward_addresses: unique(tx.rewardsOwner),
  }),
  AddDelegatorTx: (tx) => ({ ...validation(tx), reward_addresses: unique(tx.rewardsOwner) }),
  AddSubnetValidatorTx: (tx) => ({ ...validation(tx), subnet_id: tx.validator.subnetId }),
  AddPermissionlessValidatorTx: (tx) => ({
    ...validation(tx),
    subnet_id: tx.subnetId,
    delegation_shares: tx.shares,
    reward_addresses: unique(tx.validationRewardsOwner, tx.delegationRewardsOwner),
    ...blsColumns(tx.signer),
  }),
  AddPermissionlessDelegatorTx: (tx) => ({
    ...validation(tx),
    subnet_id: tx.subnetId,
    reward_addresses: unique(tx.rewardsOwner),
  }),
  CreateSubnetTx: (tx) => ({ subnet_id: tx.id, details: { subnetOwner: ownerText(tx.owner) } }),
  TransferSubnetOwnershipTx: (tx) => ({ subnet_id: tx.subnetId, details: { subnetOwner: ownerText(tx.newOwner) } }),
  CreateChainTx: (tx) => ({ subnet_id: tx.subnetId }),
  TransformSubnetTx: (tx) => ({ subnet_id: tx.subnetId }),
  RemoveSubnetValidatorTx: (tx) => ({ subnet_id: tx.subnetId, node_id: tx.nodeId }),
  ConvertSubnetToL1Tx: (tx) => ({
    subnet_id: tx.subnetId,
    l1_balance_burned: tx.validators.reduce((sum, { balance }) => sum + balance, 0n),
    details: { l1Manager: { blockchainId: tx.chainId, address: tx.address } },
  }),
  RegisterL1ValidatorTx: (tx) => ({ l1_balance_burned: tx.balance }),
  IncreaseL1ValidatorBalanceTx: (tx) => ({ l1_balance_burned: tx.balance }),
  RewardValidatorTx: (tx) => ({ staking_tx_hash: tx.txId }),
  AddAutoRenewedValidatorTx: (tx) => ({
    node_id: tx.nodeId,
    delegation_shares: tx.delegationShares,
    reward_addresses: unique(tx.validationRewardsOwner, tx.delegationRewardsOwner),
    ...blsColumns(tx.signer),
  }),
  SetAutoRenewedValidatorConfigTx: (tx) => ({ staking_tx_hash: tx.txId }),
  RewardAutoRenewedValidatorTx: (tx) => ({ staking_tx_hash: tx.txId }),
};

/** The columns of a transaction's own type. */
export function describePTransaction<Type extends PTransaction["txType"]>(tx: PTransactionOf<Type>): Described {
  return (DESCRIBE[tx.txType as Type] as ((tx: PTransactionOf<Type>) => Described) | undefined)?.(tx) ?? {};
}

/** The columns of a C-Chain atomic transaction's accounts. */
export function describeAtomicTransaction(tx: AtomicTransaction): Described {
  const text = ({ amount, ...account }: { address: string; assetId: string; amount: bigint; nonce?: number }) => ({
    ...account,
    amount: String(amount),
  });
  return {
    details: "evmInputs" in tx ? { evmInputs: tx.evmInputs.map(text) } : { evmOutputs: tx.evmOutputs.map(text) },
  };
}

/** A transaction's row. AVAX that became balances of L1 validators is not among what it burned. */
export function transactionRow(
  { chain, blockNumber, blockHash, vertexIndex, timestamp }: Place,
  txSeq: number,
  tx: AnyTransaction,
  { consumedIds, emittedIds, burned }: Moves,
  { details, ...described }: Described,
  avaxAssetId: string,
): TransactionRow {
  const balances = described.l1_balance_burned ?? 0n;
  const assets = [...burned]
    .map(([assetId, amount]) => [assetId, assetId === avaxAssetId ? amount - BigInt(balances) : amount] as const)
    .filter(([, amount]) => amount > 0n)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    chain,
    tx_seq: txSeq,
    tx_hash: tx.id,
    tx_type: tx.txType,
    block_number: blockNumber,
    block_hash: blockHash,
    vertex_index: vertexIndex,
    block_timestamp: timestamp,
    memo: "memo" in tx ? tx.memo : "",
    source_chain: "sourceChain" in tx ? tx.sourceChain : null,
    destination_chain: "destinationChain" in tx ? tx.destinationChain : null,
    consumed_utxo_ids: consumedIds,
    emitted_utxo_ids: emittedIds,
    burned_asset_ids: assets.map(([assetId]) => assetId),
    burned_amounts: assets.map(([, amount]) => amount),
    l1_balance_burned: 0n,
    start_timestamp: null,
    end_timestamp: null,
    delegation_shares: null,
    node_id: null,
    subnet_id: null,
    reward_addresses: [],
    staking_tx_hash: null,
    bls_public_key: null,
    bls_proof_of_possession: null,
    ...described,
    details: details ? JSON.stringify(details) : null,
  };
}

type Listed = Pick<TransactionRow, "chain" | "tx_seq" | "tx_type" | "block_timestamp">;

/** Lists the transaction under each of these addresses. */
export function listUnder(batch: Batch, addresses: Iterable<string>, row: Listed): void {
  const { chain, tx_seq, tx_type, block_timestamp } = row;
  for (const address of addresses)
    batch.add("primary_address_transactions", { chain, address, tx_seq, tx_type, block_timestamp });
}
