import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { erc20Abi, type Log, parseEventLogs } from "viem";
import { FREQUENT_EVENTS } from "../../core/formats/frequent-events.ts";
import { isEvmChain } from "../../recordings/manifest.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import type { TestDatabase } from "../../test/support/database/database.ts";
import { indexedAlpha } from "../../test/support/indexed/indexed.ts";

const recording = openRecording(ALPHA);
const chains = recording.manifest.chains.filter(isEvmChain);

interface NodeBlock {
  number: string;
  hash: string;
  parentHash: string;
  timestamp: string;
  gasUsed: string;
  gasLimit: string;
  baseFeePerGas: string;
  blockGasCost: string;
  timestampMilliseconds: string;
  minDelayExcess: string;
  size: string;
  miner: string;
  stateRoot: string;
  receiptsRoot: string;
  transactions: {
    hash: string;
    from: string;
    to: string | null;
    value: string;
    nonce: string;
    gas: string;
    input: string;
    type: string;
    maxFeePerGas?: string;
    maxPriorityFeePerGas?: string;
  }[];
}
interface NodeReceipt {
  status: string;
  gasUsed: string;
  cumulativeGasUsed: string;
  effectiveGasPrice: string;
  contractAddress: string | null;
  transactionHash: string;
  transactionIndex: string;
  blockHash: string;
  logs: Log[];
}

function answered<Result>(path: string, method: string, params: unknown): Result {
  const answer = recording.answer(path, method, params);
  if (answer?.kind !== "result") throw new Error(`not recorded: ${method} ${JSON.stringify(params)}`);
  return JSON.parse(answer.text) as Result;
}

const decimal = (hex: string | undefined): string | null => (hex === undefined ? null : BigInt(hex).toString());

/** The first topics that are stored as one byte, as SQL. */
const EVENTS = `'{${FREQUENT_EVENTS.map(([, topic]) => topic)}}'::text[]`;

describe.each(chains)("every recorded block of $name", ({ alias, rpcPath, evmChainId, height }) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await indexedAlpha();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  const blocks = Array.from({ length: height + 1 }, (_, number) => {
    const hex = `0x${number.toString(16)}`;
    return {
      block: answered<NodeBlock>(rpcPath, "eth_getBlockByNumber", [hex, true]),
      receipts: answered<NodeReceipt[]>(rpcPath, "eth_getBlockReceipts", [hex]),
    };
  });
  const rowsOf = async (text: string) =>
    (await database.pool.query({ text, values: [evmChainId], rowMode: "array" })).rows;

  it("has a row with the node's values, including fees and the cumulative count", async () => {
    let count = 0;
    const expected = blocks.map(({ block, receipts }) => {
      count += block.transactions.length;
      const fees = receipts.reduce(
        (sum, receipt) => sum + BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice),
        0n,
      );
      return [
        decimal(block.number),
        block.hash,
        block.parentHash,
        decimal(block.timestamp),
        decimal(block.timestampMilliseconds),
        decimal(block.minDelayExcess),
        block.transactions.length,
        decimal(block.baseFeePerGas),
        decimal(block.gasUsed),
        decimal(block.gasLimit),
        decimal(block.blockGasCost),
        fees.toString(),
        String(count),
        block.stateRoot,
        block.receiptsRoot,
        block.miner,
        Number(block.size),
      ];
    });
    const rows =
      await rowsOf(`SELECT block_number, '0x' || encode(block_hash, 'hex'), '0x' || encode(parent_hash, 'hex'), block_timestamp,
      block_timestamp_milliseconds, block_min_delay_excess, tx_count, base_fee, gas_used, gas_limit, gas_cost, fees_spent, cumulative_transactions,
      '0x' || encode(state_root, 'hex'), '0x' || encode(receipts_root, 'hex'), '0x' || encode(miner, 'hex'), size_bytes
      FROM evm_blocks WHERE chain_id = $1 ORDER BY block_number`);
    expect(rows).toEqual(expected);
  });

  it("has rows of its transactions with their receipts", async () => {
    const expected = blocks.flatMap(({ block, receipts }) =>
      block.transactions.map((tx, i) => {
        const receipt = receipts[i] as NodeReceipt;
        return [
          decimal(block.number),
          i,
          tx.hash,
          block.hash,
          decimal(block.timestamp),
          tx.from,
          tx.to,
          Number(tx.type),
          Number(receipt.status),
          decimal(tx.nonce),
          decimal(tx.value),
          decimal(tx.gas),
          decimal(receipt.gasUsed),
          decimal(receipt.cumulativeGasUsed),
          decimal(receipt.effectiveGasPrice),
          decimal(tx.maxFeePerGas),
          decimal(tx.maxPriorityFeePerGas),
          tx.input,
          receipt.contractAddress,
          receipt.logs.length,
        ];
      }),
    );
    const rows =
      await rowsOf(`SELECT block_number::bigint, block_index, '0x' || encode(tx_hash, 'hex'), '0x' || encode(block_hash, 'hex'), block_timestamp,
      '0x' || encode(from_address, 'hex'), '0x' || encode(to_address, 'hex'), tx_type, tx_status, nonce, value, gas_limit, gas_used, cumulative_gas_used,
      gas_price, max_fee_per_gas, max_priority_fee_per_gas, '0x' || encode(input, 'hex'), '0x' || encode(contract_address, 'hex'), log_count
      FROM evm_transactions WHERE chain_id = $1 ORDER BY block_number, block_index`);
    expect(rows.length).toBeGreaterThan(700);
    expect(rows).toEqual(expected);
  });

  it("has the logs of eth_getLogs for the whole range", async () => {
    const logs = answered<Log[]>(rpcPath, "eth_getLogs", [{ fromBlock: "0x0", toBlock: `0x${height.toString(16)}` }]);
    const rows =
      await rowsOf(`SELECT block_number::bigint, log_index, block_index, '0x' || encode(tx_hash, 'hex'), '0x' || encode(address, 'hex'),
      CASE octet_length(topic0) WHEN 0 THEN '{}' WHEN 1 THEN ARRAY['0x' || (${EVENTS})[get_byte(topic0, 0) + 1]]
          ELSE ARRAY['0x' || encode(topic0, 'hex')] END
        || ARRAY(SELECT '0x' || lpad(encode(topic, 'hex'), 64, '0') FROM unnest(ARRAY[topic1, topic2, topic3]) topic WHERE topic <> ''),
      '0x' || CASE WHEN octet_length(data) BETWEEN 1 AND 32 THEN lpad(encode(data, 'hex'), 64, '0')
        WHEN octet_length(data) % 32 = 0 THEN encode(data, 'hex') ELSE encode(substring(data FROM 33), 'hex') END
      FROM evm_logs JOIN evm_transactions USING (chain_id, block_number, block_index) WHERE chain_id = $1 ORDER BY block_number, log_index`);
    const expected = logs.map((log) => [
      String(Number(log.blockNumber)),
      Number(log.logIndex),
      Number(log.transactionIndex),
      log.transactionHash,
      log.address,
      log.topics,
      log.data,
    ]);
    expect(rows).toEqual(expected);
  });

  it("has exactly the ERC-20 transfers that viem decodes from the node's receipts", async () => {
    const logs = blocks.flatMap(({ receipts }) => receipts.flatMap((receipt) => receipt.logs));
    // viem accepts a fourth topic and data after the value; by docs/behaviour/token-transfers.md neither is an ERC-20 transfer.
    const transfers = parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs, strict: true });
    const expected = transfers
      .filter((log) => log.data.length === 66 && log.topics.length === 3)
      .map((log) => [
        String(Number(log.blockNumber)),
        Number(log.logIndex),
        log.transactionHash,
        log.blockHash,
        log.args.from.toLowerCase(),
        log.args.to.toLowerCase(),
        log.address,
        log.args.value.toString(),
      ]);
    const rows =
      await rowsOf(`SELECT block_number::bigint, log_index, '0x' || encode(tx_hash, 'hex'), '0x' || encode(block_hash, 'hex'),
      '0x' || encode(from_address, 'hex'), '0x' || encode(to_address, 'hex'), '0x' || encode(token_address, 'hex'), value
      FROM erc20_transfers WHERE chain_id = $1 ORDER BY block_number, log_index`);
    expect(rows.length).toBeGreaterThan(200);
    expect(rows).toEqual(expected);
  });

  it("has exactly the expected transfers of each action in the recording's journal", async () => {
    const actions = gunzipSync(readFileSync(join(ALPHA, "activity.jsonl.gz")))
      .toString()
      .split("\n")
      .filter(Boolean);
    const expected = actions
      .map(
        (line) => JSON.parse(line) as { chain: string; txID: string; expected?: { erc20?: Record<string, string>[] } },
      )
      .filter((action) => action.chain === alias.toLowerCase() && action.expected?.erc20)
      .map((action) => [
        action.txID,
        action.expected?.erc20?.map(({ token, from, to, value }) => `${token} ${from} ${to} ${value}`) ?? [],
      ]);
    const rows = await rowsOf(`SELECT '0x' || encode(t.tx_hash, 'hex'),
        coalesce(array_agg(concat('0x', encode(e.token_address, 'hex'), ' 0x', encode(e.from_address, 'hex'), ' 0x', encode(e.to_address, 'hex'), ' ', e.value)
          ORDER BY e.log_index) FILTER (WHERE e.value IS NOT NULL), '{}')
      FROM evm_transactions t LEFT JOIN erc20_transfers e ON e.chain_id = t.chain_id AND e.tx_hash = t.tx_hash
      WHERE t.chain_id = $1 GROUP BY t.tx_hash`);
    const got = new Map(rows as [string, string[]][]);
    expect(expected.length).toBeGreaterThan(100);
    expect(expected.map(([txID]) => [txID, got.get(txID as string)])).toEqual(expected);
  });

  it("is in the raw blocks, and the watermark is the recorded head", async () => {
    const [[head, seq]] = (await rowsOf("SELECT block_number, raw_seq FROM chain_heads WHERE chain_id = $1")) as [
      [string, string],
    ];
    const [[entries, bytes]] = (await rowsOf(
      "SELECT count(*), sum(length(payload)) FROM raw_blocks WHERE chain_id = $1",
    )) as [[string, string]];
    expect([head, seq, entries]).toEqual([String(height), String(height + 1), String(height + 1)]);
    const raw = blocks.reduce((sum, { block, receipts }) => sum + JSON.stringify({ block, receipts }).length, 0);
    expect(Number(bytes)).toBeLessThan(raw / 4);
  });
});
