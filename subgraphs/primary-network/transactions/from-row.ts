import { decimalText } from "../../../core/formats/decimal.ts";
import { PRIMARY_CHAIN_ALIASES } from "../../../core/networks/primary-chains.ts";
import { splitReward } from "../../../core/networks/staking-rewards.ts";
import { assetAmount, assetAmounts } from "../assets/amounts.ts";
import type { AssetAmount } from "../assets/types.ts";
import { genesisData } from "../blockchains/genesis-data.ts";
import { idText } from "../identifiers/ids.ts";
import { addressTexts } from "../networks/addresses.ts";
import { chainIdText } from "../networks/chains.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { ownershipInfo } from "../ownership/subnet-ownership.ts";
import type { PrimaryNetworkUtxo } from "../utxos/types.ts";
import type { Account, Details, L1Validator } from "./details.ts";
import type { TransactionPageParts } from "./page-parts.ts";
import type {
  BlockchainInfo,
  EvmInput,
  EvmOutput,
  L1ValidatorDetailsTransaction,
  TransactionVertex,
} from "./part-types.ts";
import type { TransactionRow } from "./rows.ts";
import { apiTxType } from "./tx-types.ts";
import type { PrimaryNetworkTransaction } from "./types.ts";

/** A row with its list columns parsed. IDs are `0x` hex. */
export interface ParsedTransaction {
  readonly row: TransactionRow;
  readonly consumed: readonly string[];
  readonly emitted: readonly string[];
  readonly burned: ReadonlyMap<string, bigint>;
  readonly details: Details;
}

/**
 * A transaction in the API's form. It is one object literal without inner named functions, because most of the time of a page
 * is spent here: the spread operator, or the name that tsx assigns to each function, costs more than all other work.
 */
export function transactionFromRow(page: TransactionPageParts, parsed: ParsedTransaction): PrimaryNetworkTransaction {
  const { network, assets, utxos } = page;
  const { row, consumed, emitted, burned, details } = parsed;
  const { chain, txHash, txType, blockHash, blsPublicKey, blsProofOfPossession, rewardAddresses } = row;
  const { subnetOwner, l1Manager, l1Validators, evmInputs, evmOutputs } = details;
  const consumedUtxos = lookUp(utxos, consumed);
  const emittedUtxos = lookUp(utxos, emitted);
  const isAtomic = row.sourceChain !== null || row.destinationChain !== null;
  const vertices = verticesOf(network, row);
  return {
    page,
    network: network.network,
    chain,
    chainName: PRIMARY_CHAIN_ALIASES[chain],
    txHash,
    txType: apiTxType(txType),
    blockTimestamp: row.blockTimestamp,
    isBlockTimestampEstimated: row.isTimeEstimated,
    blockNumber: row.blockNumber,
    blockHeight: row.blockNumber,
    blockHash: blockHash === null || chain === "C" ? blockHash : idText(blockHash),
    vertices,
    chainFormat: chain === "X" ? (vertices ? "non-linear" : "linear") : null,
    memo: row.memo,
    consumedUtxos,
    emittedUtxos,
    importedUtxos: txType === "ImportTx" ? consumedUtxos.filter(isExported) : null,
    exportedUtxos: txType === "ExportTx" ? emittedUtxos.filter(isExported) : null,
    evmInputs: evmInputs?.map((account, index) => evmInput(page, txHash, account, index)) ?? null,
    evmOutputs: evmOutputs?.map((account) => evmOutput(page, account)) ?? null,
    // The row of an atomic transaction contains only the other chain.
    sourceChain: isAtomic ? (row.sourceChain ?? chainIdText(network, chain)) : null,
    destinationChain: isAtomic ? (row.destinationChain ?? chainIdText(network, chain)) : null,
    value: assetAmounts(network, assets, sumOf(emittedUtxos, evmOutputs)),
    amountBurned: assetAmounts(network, assets, burned),
    amountStaked: assetAmounts(network, assets, sumOf(emittedUtxos.filter(isStakeOf, txHash))),
    amountL1ValidatorBalanceBurned:
      row.l1BalanceBurned === "0"
        ? NO_AMOUNT
        : assetAmounts(network, assets, new Map([[network.avaxAssetId, BigInt(row.l1BalanceBurned)]])),
    startTimestamp: row.startTimestamp,
    endTimestamp: row.endTimestamp,
    delegationFeePercent: row.delegationShares === null ? null : decimalText(BigInt(row.delegationShares), 4),
    nodeId: row.nodeId,
    subnetId: row.subnetId,
    l1ValidatorManagerDetails: l1Manager
      ? {
          network: network.network,
          blockchainId: idText(l1Manager.blockchainId),
          contractAddress: l1Manager.address,
        }
      : null,
    l1ValidatorDetails: l1Validators?.map((one) => l1ValidatorDetails(network, one)) ?? null,
    estimatedReward: details.estimatedReward ?? estimatedReward(row),
    rewardTxHash: row.rewardTxHash,
    stakingTxHash: row.stakingTxHash,
    rewardAddresses: rewardAddresses === "" ? null : addressTexts(network, rewardAddresses),
    subnetOwnershipInfo: subnetOwner ? ownershipInfo(network, subnetOwner) : null,
    blsCredentials:
      blsPublicKey === null || blsProofOfPossession === null
        ? null
        : { publicKey: blsPublicKey, proofOfPossession: blsProofOfPossession },
    blockchainInfo: blockchainInfo(row),
    assetCreated: txType === "CreateAssetTx" ? (assets.get(txHash) ?? null) : null,
  };
}

const NO_AMOUNT: AssetAmount[] = [];

/**
 * Total of consumed outputs and debited C-Chain accounts. Not in the REST specification, so it is computed only if it is
 * selected.
 */
export function amountUnlocked({ page, consumedUtxos, evmInputs }: PrimaryNetworkTransaction): AssetAmount[] {
  return assetAmounts(
    page.network,
    page.assets,
    sumOf(
      consumedUtxos,
      evmInputs?.map(({ asset }) => asset),
    ),
  );
}

type Amount = Pick<AssetAmount, "assetId" | "amount">;
const NO_AMOUNTS: readonly Amount[] = [];

function sumOf(list: readonly Amount[], more: readonly Amount[] = NO_AMOUNTS): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { assetId, amount } of list) sums.set(assetId, (sums.get(assetId) ?? 0n) + BigInt(amount));
  for (const { assetId, amount } of more) sums.set(assetId, (sums.get(assetId) ?? 0n) + BigInt(amount));
  return sums;
}

function lookUp(utxos: TransactionPageParts["utxos"], ids: readonly string[]): PrimaryNetworkUtxo[] {
  const list: PrimaryNetworkUtxo[] = [];
  for (const id of ids) {
    const utxo = utxos.get(id);
    if (utxo) list.push(utxo);
  }
  return list;
}

const isExported = ({ row: { role } }: PrimaryNetworkUtxo): boolean => role === "EXPORTED";

/** Whether the transaction `this` staked the output. A RewardValidatorTx emits the outputs of another transaction. */
function isStakeOf(this: string, utxo: PrimaryNetworkUtxo): boolean {
  return utxo.staked && utxo.txHash === this;
}

function verticesOf(
  { network }: ServedNetwork,
  { vertexHash, vertexHeight, blockTimestamp }: TransactionRow,
): TransactionVertex[] | null {
  const isInVertex = vertexHash !== null && vertexHeight !== null;
  return isInVertex ? [{ network, hash: vertexHash, height: vertexHeight, timestamp: blockTimestamp }] : null;
}

function estimatedReward({ potentialReward, validatorShares }: TransactionRow): string | null {
  if (potentialReward === null || validatorShares === null) return potentialReward;
  return String(splitReward(BigInt(potentialReward), validatorShares).delegator);
}

function blockchainInfo({ createdChainName, vmId, genesisData: genesis }: TransactionRow): BlockchainInfo | null {
  if (createdChainName === null || vmId === null || genesis === null) return null;
  return { chainName: createdChainName, vmId, genesisData: genesisData(genesis) };
}

function evmInput(
  { network, assets }: TransactionPageParts,
  txHash: string,
  account: Account,
  index: number,
): EvmInput {
  return {
    spent: { network: network.network, txHash, input: String(index), owners: account.address },
    fromAddress: account.address,
    asset: assetAmount(network.network, assets, account.assetId, account.amount),
  };
}

const evmOutput = ({ network: { network }, assets }: TransactionPageParts, account: Account): EvmOutput => ({
  network,
  toAddress: account.address,
  asset: assetAmount(network, assets, account.assetId, account.amount),
});

function l1ValidatorDetails({ network }: ServedNetwork, validator: L1Validator): L1ValidatorDetailsTransaction {
  const { validationId, nodeId, subnetId, weight, remainingBalance, balanceChange } = validator;
  return {
    network,
    validationId,
    validationIdHex: validationId,
    nodeId,
    subnetId,
    weight,
    remainingBalance,
    balanceChange: balanceChange ?? null,
    blsCredentials: { publicKey: validator.publicKey, proofOfPossession: validator.proofOfPossession },
  };
}
