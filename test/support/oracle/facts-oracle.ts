import { parseAbi, parseEventLogs, type RpcLog, type RpcTransaction } from "viem";
import type { ChainContracts, NodeBlock, NodeLog, NodeReceipt } from "../recorded/node-chain.ts";
import { decimal, decimalOrNull, type FactRow, logIndexOf, type Place } from "./fact-row.ts";
import { expectedBalances } from "./facts-balances.ts";
import { expectedCalls } from "./facts-calls.ts";
import { expectedIcmEvents } from "./facts-icm.ts";
import { type ExpectedTransfers, expectedTransfers } from "./facts-transfers.ts";

/** The tables for which the oracle computes rows. */
export const FACT_TABLES = [
  "evm_transactions",
  "erc20_transfers",
  "erc20_tokens",
  "erc20_balances",
  "erc721_transfers",
  "erc1155_transfers",
  "nft_contracts",
  "nft_items",
  "evm_internal_transactions",
  "evm_failures",
  "evm_deployments",
  "evm_proxy_upgrades",
  "icm_events",
  "evm_ext_data",
] as const;
export type FactTable = (typeof FACT_TABLES)[number];
export type Facts = Readonly<Record<FactTable, readonly FactRow[]>>;

/**
 * The expected rows of the blocks, in this order: by the standards, with viem for logs and its own traversal of
 * callTracer's trees. It uses no code of the indexer.
 */
export function expectedFacts(chain: ChainContracts, blocks: readonly NodeBlock[]): Facts {
  const facts: Record<FactTable, FactRow[]> = {
    evm_transactions: [],
    erc20_transfers: [],
    erc20_tokens: [],
    erc20_balances: [],
    erc721_transfers: [],
    erc1155_transfers: [],
    nft_contracts: [],
    nft_items: [],
    evm_internal_transactions: [],
    evm_failures: [],
    evm_deployments: [],
    evm_proxy_upgrades: [],
    icm_events: [],
    evm_ext_data: [],
  };
  for (const { block, receipts, traces } of blocks) {
    if ((block.blockExtraData ?? "0x") !== "0x") facts.evm_ext_data.push(extData(chain, block));
    for (const [index, transaction] of block.transactions.entries()) {
      const place = placeOf(chain, block, index);
      const receipt = receipts[index] as NodeReceipt;
      facts.evm_transactions.push(transactionRow(place, transaction, receipt));
      for (const log of receipt.logs) {
        append(facts, expectedTransfers(place, log));
        facts.icm_events.push(...expectedIcmEvents(chain, place, log));
        facts.evm_proxy_upgrades.push(...expectedUpgrades(place, log));
      }
      const trace = traces[index]?.result;
      if (trace) append(facts, expectedCalls(place, trace));
    }
  }
  const { erc20_transfers, erc721_transfers, erc1155_transfers } = facts;
  facts.erc20_tokens = firstSeen(erc20_transfers, (row) => ({ address: row["token_address"] as string }));
  const nfts = [...erc721_transfers, ...erc1155_transfers].sort(inChainOrder);
  facts.nft_contracts = firstSeen(nfts, (row) => ({ address: row["token_address"] as string }));
  facts.nft_items = firstSeen(nfts, (row) => ({
    address: row["token_address"] as string,
    token_id: row["token_id"] as string,
    erc_type: "batch_index" in row ? "ERC-1155" : "ERC-721",
  }));
  facts.erc20_balances = expectedBalances(chain, blocks, erc20_transfers);
  return facts;
}

function append(facts: Record<FactTable, FactRow[]>, more: Partial<ExpectedTransfers | Record<FactTable, FactRow[]>>) {
  for (const [table, rows] of Object.entries(more)) facts[table as FactTable].push(...rows);
}

function placeOf(chain: ChainContracts, block: NodeBlock["block"], index: number): Place {
  return {
    chain_id: String(chain.chainId),
    block_number: decimal(block.number),
    block_index: String(index),
    block_timestamp: decimal(block.timestamp),
    block_hash: block.hash,
    tx_hash: (block.transactions[index] as RpcTransaction).hash,
  };
}

function transactionRow(place: Place, transaction: RpcTransaction, receipt: NodeReceipt): FactRow {
  return {
    ...place,
    from_address: transaction.from,
    to_address: transaction.to,
    tx_type: decimal(transaction.type),
    tx_status: decimal(receipt.status),
    nonce: decimal(transaction.nonce),
    value: decimal(transaction.value),
    gas_limit: decimal(transaction.gas),
    gas_used: decimal(receipt.gasUsed),
    cumulative_gas_used: decimal(receipt.cumulativeGasUsed),
    gas_price: decimal(receipt.effectiveGasPrice),
    max_fee_per_gas: decimalOrNull(transaction.maxFeePerGas),
    max_priority_fee_per_gas: decimalOrNull(transaction.maxPriorityFeePerGas),
    input: transaction.input,
    contract_address: receipt.contractAddress,
    log_count: String(receipt.logs.length),
  };
}

const UPGRADES = parseAbi([
  "event Upgraded(address indexed implementation)",
  "event BeaconUpgraded(address indexed beacon)",
]);

/** The row of a log of EIP-1967 that names an implementation or a beacon: none or one. */
function expectedUpgrades({ chain_id, block_number }: Place, log: NodeLog): FactRow[] {
  return parseEventLogs({ abi: UPGRADES, logs: [log as unknown as RpcLog] }).map(({ eventName, args }) => ({
    chain_id,
    block_number,
    ...logIndexOf(log),
    address: log.address,
    kind: eventName === "Upgraded" ? "IMPLEMENTATION" : "BEACON",
    implementation_address: ("implementation" in args ? args.implementation : args.beacon).toLowerCase(),
  }));
}

function extData({ chainId }: ChainContracts, block: NodeBlock["block"]): FactRow {
  return {
    chain_id: String(chainId),
    block_number: decimal(block.number),
    block_hash: block.hash,
    block_timestamp: decimal(block.timestamp),
    ext_data: block.blockExtraData ?? null,
  };
}

/** One row for each key, with the first block that contains it. */
function firstSeen(rows: readonly FactRow[], thingOf: (row: FactRow) => Readonly<Record<string, string>>): FactRow[] {
  const seen = new Map<string, FactRow>();
  for (const row of rows) {
    const thing = thingOf(row);
    const key = Object.values(thing).join();
    const { chain_id = "", block_number = "" } = row;
    if (!seen.has(key)) seen.set(key, { chain_id, ...thing, first_block_number: block_number });
  }
  return [...seen.values()];
}

function inChainOrder(a: FactRow, b: FactRow): number {
  return Number(a["block_number"]) - Number(b["block_number"]) || Number(a["log_index"]) - Number(b["log_index"]);
}
