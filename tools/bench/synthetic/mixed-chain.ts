import { createHash } from "node:crypto";
import { TRANSFER_TOPIC } from "../../../indexer/evm/decode/event-topics.ts";
import type { WireLog } from "../../../indexer/evm/wire/blocks.ts";
import { bloomOf } from "../../../indexer/evm/wire/bloom.ts";
import { type BlockText, blockText, TRANSACTIONS } from "./chain.ts";

const HOLDERS = 20_000;
const TOKENS = 200;
const POOLS = 100;
/** The larger, the more of the transfers belong to few holders and tokens. */
const SKEW = 10;

/** Logs and transfers of a block, by its 20 transactions; see `mixedBlockText`. */
export const MIXED_LOGS = 8 + 4 * 2 + 4 * 5;
export const MIXED_TRANSFERS = 8 + 4 + 4 * 3;

type LogContent = Pick<WireLog, "address" | "topics" | "data">;

interface Call {
  readonly to: string;
  readonly value: string;
  readonly input: string;
  readonly logs: readonly LogContent[];
}

/** Repeatable random bytes of a transaction. */
interface Draw {
  /** From 0 to below 1. */
  readonly share: (name: string) => number;
  /** A digest as hex without `0x`. */
  readonly digest: (name: string) => string;
}

/** The JSON of a block as far as it is rewritten. */
interface PlainBlock {
  readonly transactions: readonly { readonly hash: string; readonly nonce: string }[];
}

/**
 * Block `number` of a chain whose blocks are like those of a real chain: of 20 transactions, 4 pay the native token, 8 transfer
 * an ERC-20 token, 4 transfer one after an approval, and 4 swap two tokens in a pool (three transfers and two other logs). Few
 * holders and tokens have most transfers.
 */
export function mixedBlockText(chainId: number, number: number): Pick<BlockText, "block" | "receipts"> {
  const plain = blockText(chainId, number);
  const calls = Array.from({ length: TRANSACTIONS }, (_, index) => ({
    from: holder(drawOf(number, index), "from"),
    ...callOf(number, index),
  }));
  const block = JSON.parse(plain.block) as PlainBlock;
  const receipts = JSON.parse(plain.receipts) as Readonly<Record<string, unknown>>[];
  let logIndex = 0;
  const mixedReceipts = receipts.map((receipt, index) => {
    const { from, to, logs } = calls[index] as (typeof calls)[number];
    const { blockNumber, transactionHash, transactionIndex, blockHash } = receipt;
    const place = { blockNumber, transactionHash, transactionIndex, blockHash };
    const placed = logs.map((log) => ({
      ...log,
      ...place,
      logIndex: `0x${(logIndex++).toString(16)}`,
      removed: false,
    }));
    return { ...receipt, from, to, logs: placed, logsBloom: bloomOf(logs as WireLog[]) };
  });
  const transactions = block.transactions.map((transaction, index) => {
    const { from, to, value, input } = calls[index] as (typeof calls)[number];
    return { ...transaction, from, to, value, input };
  });
  const logsBloom = bloomOf(calls.flatMap(({ logs }) => logs) as WireLog[]);
  return { block: JSON.stringify({ ...block, logsBloom, transactions }), receipts: JSON.stringify(mixedReceipts) };
}

function drawOf(number: number, index: number): Draw {
  const digest = (name: string) => digestOf(`mixed ${number} ${index} ${name}`);
  return { digest, share: (name) => Number.parseInt(digest(name).slice(0, 12), 16) / 2 ** 48 };
}

function callOf(number: number, index: number): Call {
  const draw = drawOf(number, index);
  const from = holder(draw, "from");
  const to = holder(draw, "to");
  const token = ranked("token", TOKENS, draw.share("token"));
  const amount = word(amountOf(draw, "amount"));
  const transfer = { to: token, value: "0x0", input: `0xa9059cbb${wordOf(to)}${amount}` };
  switch (index % 5) {
    case 0:
      return { to, value: `0x${amountOf(draw, "value")}`, input: "0x", logs: [] };
    case 1: {
      const spender = ranked("pool", POOLS, draw.share("pool"));
      const approval = {
        address: token,
        topics: [APPROVAL, `0x${wordOf(from)}`, `0x${wordOf(spender)}`],
        data: `0x${amount}`,
      };
      return {
        ...transfer,
        input: `0x23b872dd${wordOf(from)}${wordOf(to)}${amount}`,
        logs: [approval, transferLog(token, from, to, amount)],
      };
    }
    case 2:
      return swapOf(draw, from, token, amount);
    default:
      return { ...transfer, logs: [transferLog(token, from, to, amount)] };
  }
}

function swapOf(draw: Draw, from: string, token: string, amount: string): Call {
  const pool = ranked("pool", POOLS, draw.share("pool"));
  const other = ranked("token", TOKENS, draw.share("other token"));
  const got = word(amountOf(draw, "got"));
  const none = word("0");
  const logs = [
    transferLog(token, from, pool, amount),
    transferLog(other, pool, ROUTER, got),
    transferLog(other, ROUTER, from, got),
    {
      address: pool,
      topics: [SYNC],
      data: `0x${word(amountOf(draw, "reserve 0"))}${word(amountOf(draw, "reserve 1"))}`,
    },
    {
      address: pool,
      topics: [SWAP, `0x${wordOf(ROUTER)}`, `0x${wordOf(from)}`],
      data: `0x${amount}${none}${none}${got}`,
    },
  ];
  const words = [amount, got, word("a0"), wordOf(from), word("68fb0000"), word("2"), wordOf(token), wordOf(other)];
  return { to: ROUTER, value: "0x0", input: `0x38ed1739${words.join("")}`, logs };
}

const transferLog = (address: string, from: string, to: string, amount: string): LogContent => ({
  address,
  topics: [`0x${TRANSFER_TOPIC}`, `0x${wordOf(from)}`, `0x${wordOf(to)}`],
  data: `0x${amount}`,
});

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");
const word = (digits: string): string => digits.padStart(64, "0");
const wordOf = (address: string): string => word(address.slice(2));
/** 6 to 9 bytes, as most amounts have. */
const amountOf = (draw: Draw, name: string): string =>
  `1${draw.digest(name).slice(0, 11 + 2 * Math.floor(4 * draw.share(name)))}`;
const ranked = (kind: string, count: number, share: number): string =>
  `0x${digestOf(`${kind} ${Math.floor(count * share ** SKEW)}`).slice(0, 40)}`;
const holder = (draw: Draw, name: string): string => ranked("holder", HOLDERS, draw.share(name));

const APPROVAL = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";
const SYNC = "0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1";
const SWAP = "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822";
const ROUTER = `0x${digestOf("router").slice(0, 40)}`;
