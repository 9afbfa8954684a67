import express, { type Express } from "express";
import type { Config } from "../../../core/config/config-schema.ts";
import type { Databases } from "../../../core/database/database.ts";
import { EVM_HEAD } from "../../../core/database/database.ts";
import type { PageTokens } from "../../../core/graph/page.ts";
import { type BlockStore, PAGE } from "../../../subgraphs/evm/blocks/store.ts";
import { AMONG } from "../../../subgraphs/evm/erc20-tokens/store.ts";
import type { Erc20TokenRow } from "../../../subgraphs/evm/erc20-tokens/types.ts";
import type { Erc20TransferRow } from "../../../subgraphs/evm/erc20-transfers/store.ts";
import { OF_ADDRESS } from "../../../subgraphs/evm/erc20-transfers/store.ts";
import {
  OF_ADDRESS as INTERNALS_OF_ADDRESS,
  type InternalTransactionRow,
} from "../../../subgraphs/evm/internal-transactions/store.ts";
import { selectOf } from "../../../subgraphs/shared/rows/list-reader.ts";
import { bytea, MAX_BIGINT } from "../../../subgraphs/shared/rows/text-rows.ts";
import { createDeploymentHandler } from "./deployment.ts";
import { firstPageOf } from "./first-page.ts";
import { internalOf, transferOf } from "./rows.ts";
import { prepared, type WithHead, withHead } from "./statement.ts";

type BlockRow = Awaited<ReturnType<BlockStore["between"]>>[number];

const RULE = "the page size must be from 1 to 100, got another";

export interface HandWrittenOptions {
  readonly database: Pick<Databases, "pool">;
  readonly tokens: PageTokens;
  readonly evmChains: Config["evmChains"];
}

/**
 * Hand-written handlers of E6, E9, E10 and E14 for the first page. They use the statements of Moraine's stores, but E6 reads the tokens of
 * its lists by a statement of its own, and `res.json`. They send no `etag` and no `x-powered-by`, like Moraine, which sends neither.
 */
export function createHandWritten({ database, tokens, evmChains }: HandWrittenOptions): Express {
  const { pool } = database;
  const transfersOf = prepared<Erc20TransferRow & WithHead>(
    pool,
    "transfers",
    withHead(selectOf(OF_ADDRESS, false), EVM_HEAD),
  );
  const internalsOf = prepared<WithHead & (InternalTransactionRow | { readonly chainId: null })>(
    pool,
    "internals",
    withHead(selectOf(INTERNALS_OF_ADDRESS, false), EVM_HEAD),
  );
  const tokensAmong = prepared<Erc20TokenRow>(pool, "tokens", AMONG);
  const blocksBelow = prepared<BlockRow & WithHead>(pool, "blocks", withHead(selectOf(PAGE, false), EVM_HEAD));
  const known = async (chainId: string, addresses: ReadonlySet<string>) => {
    const found = await tokensAmong([chainId, [...addresses].map(bytea)]);
    return new Map(found.map((token) => [token.address, token]));
  };
  const app = express().disable("etag").disable("x-powered-by");

  app.get("/v1/chains/:chainId/addresses/:address/transactions\\:listErc20", async (request, response) => {
    const { chainId } = request.params;
    const address = request.params.address.toLowerCase();
    const size = Number(request.query["pageSize"] ?? 10);
    if (!(size >= 1 && size <= 100)) return void response.status(400).json({ message: RULE });
    const rows = await transfersOf([chainId, bytea(address), MAX_BIGINT, 0, "0", size + 1]);
    const { items, nextPageToken } = firstPageOf(rows, size, ({ blockNumber, logIndex, head }) =>
      tokens.sign("erc20Transfers", [chainId, address, "0", MAX_BIGINT], {
        position: [blockNumber, String(logIndex)],
        heads: [head],
      }),
    );
    const tokensOf = await known(chainId, new Set(items.flatMap(({ erc20Token, from, to }) => [erc20Token, from, to])));
    response.json({
      nextPageToken: nextPageToken ?? undefined,
      transactions: items.map((row) => transferOf(row, tokensOf)),
    });
  });

  app.get("/v1/chains/:chainId/addresses/:address/transactions\\:listInternals", async (request, response) => {
    const { chainId } = request.params;
    const address = request.params.address.toLowerCase();
    const size = Number(request.query["pageSize"] ?? 10);
    if (!(size >= 1 && size <= 100)) return void response.status(400).json({ message: RULE });
    const rows = await internalsOf([chainId, bytea(address), MAX_BIGINT, 0, 0, "0", size + 1, MAX_BIGINT]);
    const list = [chainId, address, "0", MAX_BIGINT];
    const { items, nextPageToken } = firstPageOf(
      rows.filter((row) => row.chainId !== null),
      size,
      ({ blockNumber, blockIndex, traceIndex, head }) =>
        tokens.sign("internalTransactions", list, {
          position: [blockNumber, String(blockIndex), String(traceIndex)],
          heads: [head],
        }),
    );
    const tokensOf = await known(chainId, new Set(items.flatMap(({ from, to }) => (to ? [from, to] : [from]))));
    response.json({
      nextPageToken: nextPageToken ?? undefined,
      transactions: items.map((row) => internalOf(row, tokensOf)),
    });
  });

  app.get("/v1/chains/:chainId/blocks", async (request, response) => {
    const { chainId } = request.params;
    const size = Number(request.query["pageSize"] ?? 10);
    if (!(size >= 1 && size <= 100)) return void response.status(400).json({ message: RULE });
    const rows = await blocksBelow([chainId, MAX_BIGINT, size + 1]);
    const { items, nextPageToken } = firstPageOf(rows, size, ({ blockNumber, head }) =>
      tokens.sign("evmBlocks", [chainId], { position: [blockNumber], heads: [head] }),
    );
    response.json({ nextPageToken: nextPageToken ?? undefined, blocks: items.map(blockOf) });
  });

  app.get(
    "/v1/chains/:chainId/contracts/:address/transactions\\:getDeployment",
    createDeploymentHandler({ pool, known, evmChains }),
  );
  return app;
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
