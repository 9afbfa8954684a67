import express, { type Express } from "express";
import { checksumAddress } from "../core/address.ts";
import { type Database, prepared } from "../core/database.ts";
import { type PageTokens, pageOf } from "../core/page.ts";
import { type BlockStore, PAGE } from "../subgraphs/evm/blocks/store.ts";
import { AMONG } from "../subgraphs/evm/erc20-tokens/store.ts";
import type { Erc20TokenRow } from "../subgraphs/evm/erc20-tokens/types.ts";
import { OF_ADDRESS } from "../subgraphs/evm/erc20-transfers/store.ts";
import type { UnlinkedTransfer } from "../subgraphs/evm/erc20-transfers/tokens.ts";
import { bytea, MAX_BIGINT } from "../subgraphs/evm/rows.ts";

type BlockRow = Awaited<ReturnType<BlockStore["between"]>>[number];

const RULE = "pageSize must be from 1 to 100";

/**
 * E9 and E14 as one would write them by hand, for the first page: the statements of our stores, so that neither side has
 * better ones, two handlers, `res.json`. No tag of the body and no `x-powered-by`, which Moraine does not send either.
 */
export function createHandWritten({ pool }: Pick<Database, "pool">, tokens: PageTokens): Express {
  const transfersOf = prepared<UnlinkedTransfer>(pool, "transfers", OF_ADDRESS);
  const tokensAmong = prepared<Erc20TokenRow>(pool, "tokens", AMONG);
  const blocksBelow = prepared<BlockRow>(pool, "blocks", PAGE);
  const app = express().disable("etag").disable("x-powered-by");

  app.get("/v1/chains/:chainId/addresses/:address/transactions\\:listErc20", async (request, response) => {
    const { chainId } = request.params;
    const address = request.params.address.toLowerCase();
    const size = Number(request.query["pageSize"] ?? 10);
    if (!(size >= 1 && size <= 100)) return void response.status(400).json({ message: RULE });
    const rows = await transfersOf([chainId, bytea(address), MAX_BIGINT, 0, "0", size + 1]);
    const { items, nextPageToken } = pageOf(rows, size, ({ blockNumber, logIndex }) =>
      tokens.sign("erc20Transfers", [chainId, address, "0", MAX_BIGINT], [blockNumber, String(logIndex)]),
    );
    const addresses = new Set(items.flatMap(({ erc20Token, from, to }) => [erc20Token, from, to]));
    const found = await tokensAmong([chainId, [...addresses].map(bytea)]);
    const known = new Map(found.map((token) => [token.address, token]));
    response.json({
      nextPageToken: nextPageToken ?? undefined,
      transactions: items.map((row) => transferOf(row, known)),
    });
  });

  app.get("/v1/chains/:chainId/blocks", async (request, response) => {
    const { chainId } = request.params;
    const size = Number(request.query["pageSize"] ?? 10);
    if (!(size >= 1 && size <= 100)) return void response.status(400).json({ message: RULE });
    const rows = await blocksBelow([chainId, MAX_BIGINT, size + 1]);
    const { items, nextPageToken } = pageOf(rows, size, ({ blockNumber }) =>
      tokens.sign("evmBlocks", [chainId], [blockNumber]),
    );
    response.json({ nextPageToken: nextPageToken ?? undefined, blocks: items.map(blockOf) });
  });
  return app;
}

function transferOf(row: UnlinkedTransfer, known: ReadonlyMap<string, Erc20TokenRow>) {
  const token = known.get(row.erc20Token);
  return {
    blockNumber: row.blockNumber,
    blockTimestamp: Number(row.blockTimestamp),
    blockHash: row.blockHash,
    txHash: row.txHash,
    from: addressOf(row.from, known.get(row.from)),
    to: addressOf(row.to, known.get(row.to)),
    logIndex: row.logIndex,
    value: row.value,
    erc20Token: {
      address: checksumAddress(row.erc20Token),
      name: token?.name ?? "",
      symbol: token?.symbol ?? "",
      decimals: token?.decimals ?? 0,
      ercType: "ERC-20",
    },
  };
}

function addressOf(address: string, token: Erc20TokenRow | undefined) {
  return {
    name: token?.name || undefined,
    symbol: token?.symbol || undefined,
    decimals: token?.decimals,
    address: checksumAddress(address),
  };
}

function blockOf(row: BlockRow) {
  return {
    chainId: row.chainId,
    blockNumber: row.blockNumber,
    blockTimestamp: Number(row.blockTimestamp),
    blockHash: row.blockHash,
    txCount: row.txCount,
    baseFee: row.baseFee,
    gasUsed: row.gasUsed,
    gasLimit: row.gasLimit,
    gasCost: row.gasCost,
    parentHash: row.parentHash,
    feesSpent: row.feesSpent,
    cumulativeTransactions: row.cumulativeTransactions,
  };
}
