import { decimalText } from "../../../core/decimal.ts";
import { splitReward } from "../../../core/staking-rewards.ts";
import { type Assets, namedAsset } from "../assets/store.ts";
import { byteList } from "../byte-lists.ts";
import { genesisData } from "../genesis-data.ts";
import { idText } from "../ids.ts";
import { addressText } from "../networks/addresses.ts";
import { ALIASES, chainIdText } from "../networks/chains.ts";
import type { ServedNetwork } from "../networks/store.ts";
import { ownershipInfo } from "../subnet-ownership.ts";
import type { Account, Details, L1Validator } from "./details.ts";
import type { TransactionRow } from "./rows.ts";
import { shownType } from "./tx-types.ts";
import type {
  BlockchainInfo,
  EvmInput,
  EvmOutput,
  L1ValidatorDetailsTransaction,
  PrimaryNetworkTransaction,
} from "./types.ts";

/** All but outputs and sums. */
type Described = Omit<
  PrimaryNetworkTransaction,
  | ("consumedUtxos" | "emittedUtxos" | "importedUtxos" | "exportedUtxos" | "value" | "amountUnlocked")
  | ("amountBurned" | "amountStaked" | "amountL1ValidatorBalanceBurned")
>;

/** What a transaction says of itself, and others say of it. */
export function describedTransaction(
  network: ServedNetwork,
  assets: Assets,
  row: TransactionRow,
  details: Details,
): Described {
  const { chain, txHash, blockHash, blsPublicKey, blsProofOfPossession, rewardAddresses } = row;
  return {
    network: network.network,
    chain,
    chainName: ALIASES[chain],
    txHash,
    txType: shownType(row.txType),
    blockTimestamp: row.blockTimestamp,
    blockNumber: row.blockNumber,
    blockHeight: row.blockNumber,
    blockHash: blockHash === null || chain === "C" ? blockHash : idText(blockHash),
    memo: row.memo,
    startTimestamp: row.startTimestamp,
    endTimestamp: row.endTimestamp,
    delegationFeePercent: row.delegationShares === null ? null : decimalText(BigInt(row.delegationShares), 4),
    nodeId: row.nodeId,
    subnetId: row.subnetId,
    estimatedReward: details.estimatedReward ?? estimatedReward(row),
    rewardTxHash: row.rewardTxHash,
    stakingTxHash: row.stakingTxHash,
    rewardAddresses: rewardAddresses === "" ? null : byteList(rewardAddresses).map((one) => addressText(network, one)),
    blsCredentials:
      blsPublicKey === null || blsProofOfPossession === null
        ? null
        : { publicKey: blsPublicKey, proofOfPossession: blsProofOfPossession },
    blockchainInfo: blockchainInfo(row),
    assetCreated: row.txType === "CreateAssetTx" ? (assets.get(row.txHash) ?? null) : null,
    ...ends(network, row),
    ...vertex(row),
    ...described(network, assets, txHash, details),
  };
}

/** The chains of an atomic transaction: the one that it names, and its own. */
function ends(network: ServedNetwork, { chain, sourceChain, destinationChain }: TransactionRow) {
  const own = sourceChain === null && destinationChain === null ? null : chainIdText(network, chain);
  return { sourceChain: sourceChain ?? own, destinationChain: destinationChain ?? own };
}

function vertex({ chain, vertexHash, vertexHeight, blockTimestamp }: TransactionRow) {
  const isInVertex = vertexHash !== null && vertexHeight !== null;
  return {
    vertices: isInVertex ? [{ hash: vertexHash, height: vertexHeight, timestamp: blockTimestamp }] : null,
    chainFormat: chain === "X" ? (isInVertex ? "non-linear" : "linear") : null,
  };
}

function estimatedReward({ potentialReward, validatorShares }: TransactionRow): string | null {
  if (potentialReward === null || validatorShares === null) return potentialReward;
  return String(splitReward(BigInt(potentialReward), validatorShares).delegator);
}

function blockchainInfo({ createdChainName, vmId, genesisData: genesis }: TransactionRow): BlockchainInfo | null {
  if (createdChainName === null || vmId === null || genesis === null) return null;
  return { chainName: createdChainName, vmId, genesisData: genesisData(genesis) };
}

function described(network: ServedNetwork, assets: Assets, txHash: string, details: Details) {
  const { subnetOwner, l1Manager, l1Validators, evmInputs, evmOutputs } = details;
  const assetOf = ({ assetId, amount }: Account) => ({ ...namedAsset(assets, assetId), amount });
  return {
    subnetOwnershipInfo: subnetOwner ? ownershipInfo(network, subnetOwner) : null,
    l1ValidatorManagerDetails: l1Manager
      ? { blockchainId: idText(l1Manager.blockchainId), contractAddress: l1Manager.address }
      : null,
    l1ValidatorDetails: l1Validators?.map((one) => l1ValidatorDetails(network, one)) ?? null,
    evmInputs:
      evmInputs?.map(
        (account, index): EvmInput => ({
          spent: { network: network.network, txHash, input: String(index), owners: account.address },
          fromAddress: account.address,
          asset: assetOf(account),
        }),
      ) ?? null,
    evmOutputs:
      evmOutputs?.map((account): EvmOutput => ({ toAddress: account.address, asset: assetOf(account) })) ?? null,
  };
}

function l1ValidatorDetails({ network }: ServedNetwork, validator: L1Validator): L1ValidatorDetailsTransaction {
  const { validationId, nodeId, subnetId, weight, remainingBalance, balanceChange } = validator;
  return {
    network,
    ...{ validationId, validationIdHex: validationId, nodeId, subnetId, weight, remainingBalance },
    balanceChange: balanceChange ?? null,
    blsCredentials: { publicKey: validator.publicKey, proofOfPossession: validator.proofOfPossession },
  };
}
