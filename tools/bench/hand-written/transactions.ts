import type { RequestHandler } from "express";
import { primaryHead } from "../../../core/database/database.ts";
import { decimalText } from "../../../core/formats/decimal.ts";
import { splitReward } from "../../../core/networks/staking-rewards.ts";
import { ASSETS_BY_ID } from "../../../subgraphs/primary-network/assets/store.ts";
import { genesisData } from "../../../subgraphs/primary-network/blockchains/genesis-data.ts";
import { byteList } from "../../../subgraphs/primary-network/identifiers/byte-lists.ts";
import { idText, nodeIdText } from "../../../subgraphs/primary-network/identifiers/ids.ts";
import { addressText, parseAddresses } from "../../../subgraphs/primary-network/networks/addresses.ts";
import { chainIdText } from "../../../subgraphs/primary-network/networks/chains.ts";
import type { ServedNetwork } from "../../../subgraphs/primary-network/networks/served-network.ts";
import { type L1Validator, parseDetails } from "../../../subgraphs/primary-network/transactions/details.ts";
import type { TransactionFilter } from "../../../subgraphs/primary-network/transactions/filter.ts";
import { type PageKind, pageValues } from "../../../subgraphs/primary-network/transactions/positions.ts";
import {
  pageStatement,
  TRANSACTION_ORDER,
  type TransactionRow,
} from "../../../subgraphs/primary-network/transactions/rows.ts";
import { UTXOS_BY_ID, type UtxoRow } from "../../../subgraphs/primary-network/utxos/rows.ts";
import { selectOf } from "../../../subgraphs/shared/rows/list-reader.ts";
import { byteaArray, MAX_BIGINT } from "../../../subgraphs/shared/rows/text-rows.ts";
import { firstPageOf } from "./first-page.ts";
import type { PrimaryDeps } from "./primary-deps.ts";
import { prepared, type WithHead, withHead } from "./statement.ts";
import { type Amounts, type AssetRow, amountsOf, assetOf, numberOf, type Page, utxoOf } from "./utxos.ts";

const NO_FILTER = {
  scope: "addresses",
  chain: "P",
  validationId: null,
  txTypes: null,
  startTimestamp: null,
  endTimestamp: null,
  sortOrder: "desc",
} as const;

const NEWEST_FIRST = { order: TRANSACTION_ORDER, positionAt: 3 } as const;

/** The handler answers 501 for a page with more outputs. */
const MOST_OUTPUTS = 2_000;

/** Handler of E5 on the P-Chain: the first page of the transactions of addresses, newest first. */
export function createTransactionsHandler({ pool, tokens, networks }: PrimaryDeps): RequestHandler {
  const pagesOf = (source: PageKind["source"]) =>
    prepared<TransactionRow & WithHead>(
      pool,
      `of-${source}`,
      withHead(
        selectOf({ ...NEWEST_FIRST, select: (keyset) => pageStatement({ source, isFiltered: false }, keyset) }, false),
        primaryHead("$2"),
      ),
    );
  const ofAddress = pagesOf("address");
  const ofAddresses = pagesOf("addresses");
  const utxosNamed = prepared<UtxoRow>(pool, "utxos", UTXOS_BY_ID);
  const assetsNamed = prepared<AssetRow>(pool, "assets", ASSETS_BY_ID);

  return async (request, response) => {
    const network = await networks.require(request.params["network"] === "mainnet" ? "mainnet" : "fuji");
    const size = Number(request.query["pageSize"] ?? 10);
    if (!(size >= 1 && size <= 100)) return void response.status(400).json({ message: "pageSize" });
    if (request.params["blockchainId"] !== "p-chain")
      return void response.status(501).json({ message: "other chains" });
    const addresses = parseAddresses(network, String(request.query["addresses"]).split(","));
    const { networkId, avaxAssetId } = network;
    const filter: TransactionFilter = { ...NO_FILTER, addresses };
    const transactionsOf = addresses.length === 1 ? ofAddress : ofAddresses;
    const rows = await transactionsOf([networkId, "P", MAX_BIGINT, size + 1, ...pageValues(filter, size + 1)]);
    const list = [networkId, "addresses", "P", addresses, null, "desc", null, null, null];
    const { items, nextPageToken } = firstPageOf(rows, size, ({ txSeq, head }) =>
      tokens.sign("primaryNetworkTransactions", list, { position: [txSeq], heads: [head] }),
    );
    const ids = new Set<string>();
    for (const { consumedUtxoIds, emittedUtxoIds } of items) {
      for (const id of byteList(consumedUtxoIds)) ids.add(id);
      for (const id of byteList(emittedUtxoIds)) ids.add(id);
    }
    if (ids.size > MOST_OUTPUTS) return void response.status(501).json({ message: "so many outputs" });
    const utxos = await utxosNamed([networkId, byteaArray(ids)]);
    const assetIds = new Set([avaxAssetId]);
    for (const { assetId } of utxos) assetIds.add(assetId);
    for (const { burnedAssetIds } of items) for (const assetId of byteList(burnedAssetIds)) assetIds.add(assetId);
    const assets = await assetsNamed([networkId, byteaArray(assetIds)]);
    const page: Page = {
      network,
      utxos: new Map(utxos.map((utxo) => [utxo.utxoId, utxo])),
      assets: new Map(assets.map((asset) => [asset.assetId, asset])),
    };
    response.json({
      nextPageToken: nextPageToken ?? undefined,
      transactions: items.map((row) => transactionOf(row, page)),
      chainInfo: { chainName: "p-chain", network: network.network },
    });
  };
}

function transactionOf(row: TransactionRow, page: Page) {
  const { network } = page;
  const found = (ids: string) => byteList(ids).flatMap((id) => page.utxos.get(id) ?? []);
  const consumed = found(row.consumedUtxoIds);
  const emitted = found(row.emittedUtxoIds);
  const burned = row.burnedAmounts.split(",");
  const own = row.sourceChain || row.destinationChain ? chainIdText(network, row.chain) : undefined;
  const { subnetOwner, l1Manager, l1Validators, ...details } = parseDetails(row.details);
  return {
    txHash: idText(row.txHash),
    txType: row.txType,
    blockTimestamp: Number(row.blockTimestamp),
    blockNumber: row.blockNumber ?? undefined,
    blockHash: row.blockHash ? idText(row.blockHash) : undefined,
    consumedUtxos: consumed.map((utxo) => utxoOf(utxo, page)),
    emittedUtxos: emitted.map((utxo) => utxoOf(utxo, page)),
    sourceChain: row.sourceChain ? idText(row.sourceChain) : own,
    destinationChain: row.destinationChain ? idText(row.destinationChain) : own,
    value: amountsOf(sumsOf(emitted), page),
    amountBurned: amountsOf(
      new Map(byteList(row.burnedAssetIds).map((assetId, i) => [assetId, BigInt(burned[i] ?? 0)])),
      page,
    ),
    amountStaked: amountsOf(
      sumsOf(emitted.filter(({ role, txHash }) => role === "STAKE" && txHash === row.txHash)),
      page,
    ),
    amountL1ValidatorBalanceBurned:
      row.l1BalanceBurned === "0" ? [] : [assetOf(network.avaxAssetId, row.l1BalanceBurned, page)],
    startTimestamp: numberOf(row.startTimestamp),
    endTimestamp: numberOf(row.endTimestamp),
    delegationFeePercent: row.delegationShares === null ? undefined : decimalText(BigInt(row.delegationShares), 4),
    nodeId: row.nodeId ? nodeIdText(row.nodeId) : undefined,
    subnetId: row.subnetId ? idText(row.subnetId) : undefined,
    l1ValidatorManagerDetails: l1Manager && {
      blockchainId: idText(l1Manager.blockchainId),
      contractAddress: l1Manager.address,
    },
    l1ValidatorDetails: l1Validators?.map(l1ValidatorOf),
    estimatedReward: details.estimatedReward ?? rewardOf(row),
    rewardTxHash: row.rewardTxHash ? idText(row.rewardTxHash) : undefined,
    stakingTxHash: row.stakingTxHash ? idText(row.stakingTxHash) : undefined,
    memo: row.memo,
    rewardAddresses: row.rewardAddresses ? textsOf(network, byteList(row.rewardAddresses)) : undefined,
    subnetOwnershipInfo: subnetOwner && {
      locktime: Number(subnetOwner.locktime),
      threshold: subnetOwner.threshold,
      addresses: textsOf(network, subnetOwner.addresses),
    },
    blsCredentials: row.blsPublicKey
      ? { publicKey: row.blsPublicKey, proofOfPossession: row.blsProofOfPossession }
      : undefined,
    blockchainInfo: row.genesisData
      ? { chainName: row.createdChainName, vmId: idText(row.vmId ?? ""), genesisData: genesisData(row.genesisData) }
      : undefined,
  };
}

const textsOf = (network: ServedNetwork, addresses: readonly string[]): string[] =>
  addresses.map((address) => addressText(network, address));

function sumsOf(utxos: readonly UtxoRow[]): Amounts {
  const sums = new Map<string, bigint>();
  for (const { assetId, amount } of utxos) sums.set(assetId, (sums.get(assetId) ?? 0n) + BigInt(amount));
  return sums;
}

function rewardOf({ potentialReward, validatorShares }: TransactionRow): string | undefined {
  if (potentialReward === null || validatorShares === null) return potentialReward ?? undefined;
  return String(splitReward(BigInt(potentialReward), validatorShares).delegator);
}

function l1ValidatorOf(one: L1Validator) {
  return {
    validationId: idText(one.validationId),
    validationIdHex: one.validationId,
    nodeId: nodeIdText(one.nodeId),
    subnetId: idText(one.subnetId),
    weight: Number(one.weight),
    remainingBalance: Number(one.remainingBalance),
    balanceChange: numberOf(one.balanceChange ?? null),
    blsCredentials: { publicKey: one.publicKey, proofOfPossession: one.proofOfPossession },
  };
}
