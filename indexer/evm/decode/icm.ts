import type { BlockColumns, Log } from "./shared-columns.ts";
import type { Row } from "./tables.ts";

/** The precompile through which a chain sends warp messages (ACP-30). */
const WARP_PRECOMPILE = "0200000000000000000000000000000000000005";

type Direction = "SOURCE_TRANSACTION" | "DESTINATION_TRANSACTION";

interface IcmEventKind {
  readonly event: string;
  /** The contract that must have emitted the event: any other contract can emit a copy. */
  readonly emitter: "messenger" | "precompile";
  readonly direction: Direction | null;
  /** Index of the topic that holds the message id. */
  readonly messageId: number;
  /** Index of the topic that holds the other chain's blockchain id; null if the event has none. */
  readonly blockchainId: number | null;
  /** Index of the data word that points to the Teleporter message; null if the event has none. */
  readonly message: number | null;
  /** Index of the first of the two data words with the token and the amount of the fee; null if the event has none. */
  readonly fee: number | null;
  /** Index of the topic that holds the relayer; null if the event has none. */
  readonly relayer: number | null;
}

const SOURCE = { direction: "SOURCE_TRANSACTION" } as const;
const DESTINATION = { direction: "DESTINATION_TRANSACTION" } as const;
const TELEPORTER = {
  emitter: "messenger",
  messageId: 1,
  blockchainId: 2,
  direction: null,
  message: null,
  fee: null,
  relayer: null,
} as const;

/** The events of `TeleporterMessenger` (icm-contracts) and `IWarpMessenger`, by first topic. */
export const ICM_EVENTS: Readonly<Record<string, IcmEventKind>> = {
  "2a211ad4a59ab9d003852404f9c57c690704ee755f3c79d2c2812ad32da99df8": {
    ...TELEPORTER,
    ...SOURCE,
    event: "SendCrossChainMessage",
    message: 0,
    fee: 1,
  },
  "292ee90bbaf70b5d4936025e09d56ba08f3e421156b6a568cf3c2840d9343e34": {
    ...TELEPORTER,
    ...DESTINATION,
    event: "ReceiveCrossChainMessage",
    message: 1,
    relayer: 3,
  },
  "34795cc6b122b9a0ae684946319f1e14a577b4e8f9b3dda9ac94c21a54d3188c": {
    ...TELEPORTER,
    ...DESTINATION,
    event: "MessageExecuted",
  },
  "4619adc1017b82e02eaefac01a43d50d6d8de4460774bc370c3ff0210d40c985": {
    ...TELEPORTER,
    ...DESTINATION,
    event: "MessageExecutionFailed",
    message: 0,
  },
  d13a7935f29af029349bed0a2097455b91fd06190a30478c575db3f31e00bf57: {
    ...TELEPORTER,
    event: "ReceiptReceived",
    fee: 0,
    relayer: 3,
  },
  c1bfd1f1208927dfbd414041dcb5256e6c9ad90dd61aec3249facbd34ff7b3e1: {
    ...TELEPORTER,
    event: "AddFeeAmount",
    blockchainId: null,
    fee: 0,
  },
  "56600c567728a800c0aa927500f831cb451df66a7af570eb4df4dfbf4674887d": {
    event: "SendWarpMessage",
    emitter: "precompile",
    direction: null,
    messageId: 2,
    blockchainId: null,
    message: null,
    fee: null,
    relayer: null,
  },
};

/**
 * The row of an ICM event; null if another contract emitted it, or if it has no topic for the message's id. The columns of a
 * malformed message are null.
 */
export function icmEventRow(
  columns: BlockColumns,
  kind: IcmEventKind,
  log: Log,
  messengers: ReadonlySet<string>,
): Row<"icm_events"> | null {
  const isGenuine = kind.emitter === "messenger" ? messengers.has(log.address) : log.address === WARP_PRECOMPILE;
  const messageId = log.topics[kind.messageId];
  if (!isGenuine || messageId === undefined) return null;
  return {
    block_number: columns.number,
    log_index: log.index,
    block_index: log.transaction.index,
    block_timestamp: columns.timestamp,
    tx_hash: log.transaction.hash,
    event: kind.event,
    direction: kind.direction,
    message_id: messageId,
    blockchain_id: kind.blockchainId === null ? null : (log.topics[kind.blockchainId] ?? null),
    messenger_address: log.address,
    ...(kind.message === null ? NO_MESSAGE : messageColumns(log.data, kind.message)),
    ...(kind.fee === null ? NO_FEE : feeColumns(log.data, kind.fee)),
    relayer_address: kind.relayer === null ? null : (log.topics[kind.relayer]?.slice(24) ?? null),
  };
}

type MessageColumns = Pick<
  Row<"icm_events">,
  "message_nonce" | "origin_sender_address" | "destination_address" | "required_gas_limit"
>;

const NO_MESSAGE: MessageColumns = {
  message_nonce: null,
  origin_sender_address: null,
  destination_address: null,
  required_gas_limit: null,
};

type FeeColumns = Pick<Row<"icm_events">, "fee_token_address" | "fee_amount">;

const NO_FEE: FeeColumns = { fee_token_address: null, fee_amount: null };

/** Hex digits of an ABI word. */
const WORD = 64;

/** Token and amount of a `TeleporterFeeInfo`, which begins at the word `at` of the data. */
function feeColumns(data: string, at: number): FeeColumns {
  const words = data.slice(at * WORD, (at + 2) * WORD);
  if (words.length < 2 * WORD) return NO_FEE;
  return { fee_token_address: words.slice(24, WORD), fee_amount: BigInt(`0x${words.slice(WORD)}`) };
}

/**
 * Nonce, sender, receiver and gas limit of a `TeleporterMessage`: words 0, 1, 3 and 4 of the tuple whose offset is the word
 * `pointer` of the data.
 */
function messageColumns(data: string, pointer: number): MessageColumns {
  const offset = Number(BigInt(`0x${data.slice(pointer * WORD, (pointer + 1) * WORD) || "0"}`)) * 2;
  const tuple = Number.isSafeInteger(offset) ? data.slice(offset, offset + 5 * WORD) : "";
  if (tuple.length < 5 * WORD) return NO_MESSAGE;
  const word = (index: number) => tuple.slice(index * WORD, (index + 1) * WORD);
  const number = (index: number) => BigInt(`0x${word(index)}`);
  const address = (index: number) => word(index).slice(24);
  return {
    message_nonce: number(0),
    origin_sender_address: address(1),
    destination_address: address(3),
    required_gas_limit: number(4),
  };
}
