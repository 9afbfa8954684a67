import type { ClientBase } from "pg";
import type { Config, EvmChainConfig } from "../../../core/config/config-schema.ts";
import type { EvmExportRequest } from "../../../core/database/operations.ts";
import { Failure, quoted } from "../../../core/errors/errors.ts";
import { createChains } from "../../../core/networks/chains.ts";
import { createMethodTable } from "../../../core/networks/methods/table.ts";
import type { ExportSource, LastBlock, ReadOptions, RowBatch } from "../../export-source.ts";
import { evmClient, type RowClients } from "../../row-clients.ts";
import { type Column, cellsOf, columnsOf } from "../column.ts";
import { boundOf, chainPosition, chainsAfter } from "../shared/chain-positions.ts";
import { readAll, readCursor } from "../shared/cursor.ts";
import { type DayCount, sumDays } from "../shared/day-counts.ts";
import { dayOf, timeRange } from "../shared/days.ts";
import { createPartialGrouping } from "../shared/whole-groups.ts";
import { type BlockRange, isStillIndexed, readBlockRange, readBound, readTracingOff } from "./bounds.ts";
import { EVM_COLUMNS, EXPORTED_ADDRESS } from "./columns.ts";
import type { EvmRow } from "./row.ts";
import { createEvmRowContext } from "./row-context.ts";
import { countQuery, type EvmFields, isStreamed, rowsQuery } from "./statements.ts";

export type EvmSourceConfig = Pick<Config, "evmChains" | "methodSignatures" | "prices">;

/** Rows of the chains one after the other, in the order of the request. */
export function createEvmSource(request: EvmExportRequest, config: EvmSourceConfig): ExportSource {
  const configured = createChains(config);
  const chains = request.chainIds.map((chainId) => configuredChain(configured.get(chainId), chainId));
  const addresses = request.addresses.map((address) => Buffer.from(address.slice(2), "hex"));
  const exported = createExportedBlocks(request);
  const columns = columnsOf(EVM_COLUMNS, EXPORTED_ADDRESS, request);
  const readChain = createChainReader(request, config, { addresses, exported, columns });
  return {
    columns,
    async readBounds(clients) {
      const bounds: LastBlock[] = [];
      for (const chain of chains) {
        const client = evmClient(clients, chain.chainId);
        const bound = await readBound(client, chain);
        await exported.below(client, chain, bound);
        bounds.push(bound);
      }
      return bounds;
    },
    async areBlocksStillIndexed(clients, bounds) {
      for (const bound of bounds)
        if (!(await isStillIndexed(evmClient(clients, Number(bound.chain)), bound))) return false;
      return true;
    },
    async readWarnings(clients, bounds) {
      const warnings: string[] = [];
      for (const chain of chains) {
        const client = evmClient(clients, chain.chainId);
        const { noTraces } = await exported.withinBounds(client, chain, bounds);
        if (noTraces !== null)
          warnings.push(`the file has no internal transactions of chain ${chain.chainId}: ${noTraces}`);
      }
      return warnings;
    },
    async countDays(clients, bounds) {
      const counts: DayCount[] = [];
      for (const chain of chains) {
        const client = evmClient(clients, chain.chainId);
        const { range, noTraces } = await exported.withinBounds(client, chain, bounds);
        const values = [chain.chainId, range.from, range.to, addresses];
        counts.push(...(await readAll<DayCount>(client, countQuery(noTraces === null, dayOf), values)));
      }
      return sumDays(counts);
    },
    async *read(clients, bounds, options) {
      for (const { chain, after } of chainsAfter(chains, nameOf, options.after))
        yield* readChain(clients, chain, boundOf(bounds, nameOf(chain)), { ...options, after });
    },
  };
}

/** The blocks of an export of a chain. */
interface BlocksOfChain {
  readonly range: BlockRange;
  /** The reason if the export has no internal transactions of the chain; null otherwise. */
  readonly noTraces: string | null;
}

/** Reads which blocks of a chain an export has. */
interface ExportedBlocks {
  /** Up to a last block of the chain. `beforeDate` excludes a day and all later ones. */
  below(
    client: ClientBase,
    chain: EvmChainConfig,
    bound: LastBlock,
    beforeDate?: string | null,
  ): Promise<BlocksOfChain>;
  /** Up to the last block of the chain among those of all chains. */
  withinBounds(client: ClientBase, chain: EvmChainConfig, bounds: readonly LastBlock[]): Promise<BlocksOfChain>;
}

function createExportedBlocks(request: EvmExportRequest): ExportedBlocks {
  const below: ExportedBlocks["below"] = async (client, chain, bound, beforeDate = null) => {
    const range = await readBlockRange(client, bound, timeRange(request, beforeDate));
    return { range, noTraces: await readTracingOff(client, chain, range) };
  };
  return {
    below,
    withinBounds: (client, chain, bounds) => below(client, chain, boundOf(bounds, nameOf(chain))),
  };
}

interface ChainReaderParts {
  /** The addresses of the request, as bytes. */
  readonly addresses: readonly Buffer[];
  readonly exported: ExportedBlocks;
  readonly columns: readonly Column<EvmRow>[];
}

/** Reads the rows of one chain up to a last block. */
type ReadChain = (
  clients: RowClients,
  chain: EvmChainConfig,
  bound: LastBlock,
  options: ReadOptions,
) => AsyncGenerator<RowBatch>;

function createChainReader(
  request: EvmExportRequest,
  config: EvmSourceConfig,
  { addresses, exported, columns }: ChainReaderParts,
): ReadChain {
  const methods = createMethodTable(config.methodSignatures);
  const own = new Set(request.addresses.map((address) => `\\x${address.slice(2)}`));
  const writeCells = cellsOf(columns, request);
  return async function* readChain(clients, chain, bound, { after, beforeDate, signal }) {
    const client = evmClient(clients, chain.chainId);
    const { range, noTraces } = await exported.below(client, chain, bound, beforeDate);
    const from = after === null ? range.from : String(maxOf(BigInt(range.from), BigInt(after) + 1n));
    const streamed = isStreamed(addresses.length) ? addresses : [];
    const values = [chain.chainId, from, range.to, addresses, ...streamed];
    const loadContext = createEvmRowContext(clients, { config, chain, methods, own });
    const group = createPartialGrouping<EvmFields>(({ blockNumber }) => blockNumber);
    const query = { ...rowsQuery(addresses.length, noTraces === null), values };
    const complete = async (fields: readonly EvmFields[], isLast: boolean) => {
      const blocks = group(fields, isLast);
      if (blocks === null) return null;
      const withContext = await loadContext(blocks.items);
      const position = blocks.group === null ? null : chainPosition(nameOf(chain), blocks.group);
      return { rows: blocks.items.map((row) => writeCells(withContext(row))), position };
    };
    yield* readCursor(client, query, complete, signal);
  };
}

function configuredChain(chain: EvmChainConfig | null, chainId: string): EvmChainConfig {
  if (chain === null)
    throw new Failure("INVALID_PARAMETER", `includeChains: chain ${quoted(chainId)} is not configured any more`);
  return chain;
}

/** Name of the chain in bounds and positions. */
const nameOf = ({ chainId }: EvmChainConfig): string => String(chainId);

const maxOf = (a: bigint, b: bigint): bigint => (a > b ? a : b);
