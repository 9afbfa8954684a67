import type { AtomicTransaction } from "../../../../core/formats/codec/transactions/atomic-transactions.ts";
import type { PTransaction, PTransactionOf } from "../../../../core/formats/codec/transactions/p-transactions.ts";
import type { RowOf } from "../store/tables.ts";

type TransactionRow = RowOf<"primary_transactions">;
/** The columns of `primary_transactions` that only some types of transaction have. */
export type TypeColumns = Partial<
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

/** The JSON in the column `details`: members that few types have. Ids and addresses in hex, amounts as decimal text. */
export interface Details {
  readonly subnetOwner?: OwnerText;
  readonly l1Manager?: { readonly blockchainId: string; readonly address: string };
  readonly l1Validators?: readonly L1ValidatorText[];
  /** Potential reward of the first cycle of an auto-renewed validator, in nAVAX. */
  readonly estimatedReward?: string;
  readonly evmInputs?: readonly AccountText[];
  readonly evmOutputs?: readonly AccountText[];
  /** Whether a proposed transaction was committed. */
  readonly isCommitted?: boolean;
}

export interface OwnerText {
  readonly locktime: string;
  readonly threshold: number;
  readonly addresses: readonly string[];
}

/** State of an L1 validator after the transaction. */
export interface L1ValidatorText {
  readonly validationId: string;
  readonly nodeId: string;
  readonly subnetId: string;
  readonly weight: string;
  readonly remainingBalance: string;
  /** Negative if balance was refunded; absent if the transaction does not change the balance. */
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

type ColumnsByType = { readonly [Type in PTransaction["txType"]]?: (tx: PTransactionOf<Type>) => TypeColumns };

/** Columns that follow from the transaction alone. Columns that depend on the chain's state are added where it is applied. */
const P_COLUMNS: ColumnsByType = {
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

/** The columns that only the transaction's type has. */
export function columnsOfPTransaction<Type extends PTransaction["txType"]>(tx: PTransactionOf<Type>): TypeColumns {
  return (P_COLUMNS[tx.txType as Type] as ((tx: PTransactionOf<Type>) => TypeColumns) | undefined)?.(tx) ?? {};
}

/** The columns of a C-Chain atomic transaction's accounts. */
export function columnsOfAtomicTransaction(tx: AtomicTransaction): TypeColumns {
  const text = ({ amount, ...account }: { address: string; assetId: string; amount: bigint; nonce?: number }) => ({
    ...account,
    amount: String(amount),
  });
  return {
    details: "evmInputs" in tx ? { evmInputs: tx.evmInputs.map(text) } : { evmOutputs: tx.evmOutputs.map(text) },
  };
}
