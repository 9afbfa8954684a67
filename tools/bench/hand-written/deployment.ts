import type { RequestHandler } from "express";
import type pg from "pg";
import type { Config } from "../../../core/config/config-schema.ts";
import { ZERO_ADDRESS } from "../../../core/formats/address.ts";
import { createMethodTable } from "../../../core/networks/methods/table.ts";
import { LATEST, type LatestRow } from "../../../subgraphs/evm/deployments/latest.ts";
import type { Erc20TransferRow } from "../../../subgraphs/evm/erc20-transfers/store.ts";
import { OF_TRANSACTION as ERC20 } from "../../../subgraphs/evm/erc20-transfers/store.ts";
import {
  type InternalTransactionRow,
  LISTED_OF_TRANSACTION,
} from "../../../subgraphs/evm/internal-transactions/store.ts";
import type { Method } from "../../../subgraphs/evm/methods/types.ts";
import { bytea } from "../../../subgraphs/shared/rows/text-rows.ts";
import { wholeListStatement } from "../../../subgraphs/shared/rows/whole-list.ts";
import { addressOf, type KnownTokens, tokenOf } from "./rows.ts";
import { prepared } from "./statement.ts";

type Made = Extract<LatestRow, { readonly address: string }>;

export interface DeploymentHandlerOptions {
  readonly pool: pg.Pool;
  readonly known: (chainId: string, addresses: ReadonlySet<string>) => Promise<KnownTokens>;
  readonly evmChains: Config["evmChains"];
}

/** Handler of E6, for chains without prices and for transactions without NFT transfers and Teleporter messages. */
export function createDeploymentHandler({ pool, known, evmChains }: DeploymentHandlerOptions): RequestHandler {
  const last = prepared<LatestRow>(pool, "last-deployment", LATEST);
  const erc20sOf = prepared<Erc20TransferRow>(pool, "erc20s", wholeListStatement(ERC20));
  const internalsOf = prepared<InternalTransactionRow>(pool, "internals-of", wholeListStatement(LISTED_OF_TRANSACTION));
  const methods = createMethodTable(undefined);
  const coins = new Map(evmChains.map(({ chainId, networkToken }) => [String(chainId), networkToken]));

  return async (request, response) => {
    const { chainId = "", address = "" } = request.params as Record<string, string>;
    const [made] = await last([chainId, bytea(address.toLowerCase())]);
    if (!made || made.address === null) return void response.status(404).json({ message: "not a contract" });
    const { erc20Transfers, erc721Transfers, erc1155Transfers, internalTransactions, teleporterMessageInfo } = made;
    if (erc721Transfers || erc1155Transfers || teleporterMessageInfo)
      return void response.status(501).json({ message: "NFTs and messages are not implemented" });
    const place = [chainId, [made.blockNumber], [made.blockIndex], [-1], null];
    const [erc20s, internals] = await Promise.all([
      erc20Transfers ? erc20sOf(place) : [],
      internalTransactions ? internalsOf(place) : [],
    ]);
    const named = new Set([made.from, made.to ?? ZERO_ADDRESS]);
    for (const { erc20Token, from, to } of erc20s) named.add(erc20Token).add(from).add(to);
    for (const { from, to } of internals) named.add(from).add(to ?? ZERO_ADDRESS);
    const isTokenless = !made.hasTokenAddress && erc20s.length + internals.length === 0;
    const tokens: KnownTokens = isTokenless ? new Map() : await known(chainId, named);
    const { name, symbol, decimals, logoUri, description } = coins.get(chainId) ?? {};
    response.json({
      erc20Transfers: erc20s.map((row) => ({
        from: addressOf(row.from, tokens),
        to: addressOf(row.to, tokens),
        logIndex: row.logIndex,
        value: row.value,
        erc20Token: tokenOf(row.erc20Token, tokens),
      })),
      erc721Transfers: [],
      erc1155Transfers: [],
      internalTransactions: internals.map((row) => ({
        from: addressOf(row.from, tokens),
        to: addressOf(row.to ?? ZERO_ADDRESS, tokens),
        internalTxType: row.internalTxType,
        value: row.value,
        isReverted: row.isReverted,
        gasUsed: row.gasUsed,
        gasLimit: row.gasLimit,
      })),
      networkTokenDetails: { networkToken: { name, symbol, decimals, logoUri, description } },
      nativeTransaction: nativeOf(made, methods.of(made), tokens),
    });
  };
}

function nativeOf(row: Made, method: Method, tokens: KnownTokens) {
  return {
    blockNumber: row.blockNumber,
    blockTimestamp: Number(row.blockTimestamp),
    blockHash: row.blockHash,
    chainId: row.chainId,
    blockIndex: row.blockIndex,
    txHash: row.txHash,
    txStatus: String(row.txStatus),
    txType: row.txType,
    gasLimit: row.gasLimit,
    gasUsed: row.gasUsed,
    gasPrice: row.gasPrice,
    nonce: row.nonce,
    from: addressOf(row.from, tokens),
    to: addressOf(row.to ?? ZERO_ADDRESS, tokens),
    method: { ...method, methodName: method.methodName ?? undefined },
    value: row.value,
    input: row.input,
    baseFeePerGas: row.baseFee,
    maxFeePerGas: row.maxFeePerGas ?? undefined,
    maxPriorityFeePerGas: row.maxPriorityFeePerGas ?? undefined,
  };
}
