import type { IcmMessageRow, IcmMessageState } from "./types.ts";

/** A row of a message, as one database has it. */
export interface StoredMessage {
  readonly row: IcmMessageRow;
  /** True if this database has the chain. Ends of other chains are left over from before a move. */
  has(chainId: string): boolean;
}

/** The columns that follow from the events of the source chain, and those of the destination chain. */
const SOURCE = [
  "sourceChainId",
  "sentBlockNumber",
  "sentLogIndex",
  "sentTimestamp",
  "sentDestinationId",
  "sentNonce",
  "sentSender",
  "sentRecipient",
  "sentGasLimit",
  "feeToken",
  "feeAmount",
] as const satisfies readonly (keyof IcmMessageRow)[];
const DESTINATION = [
  "destinationChainId",
  "receivedSourceId",
  "receivedBlockNumber",
  "receivedLogIndex",
  "receivedTimestamp",
  "receivedNonce",
  "receivedSender",
  "receivedRecipient",
  "receivedGasLimit",
  "relayer",
  "executedBlockNumber",
  "executedLogIndex",
  "executedTimestamp",
  "failedBlockNumber",
  "failedLogIndex",
  "failedTimestamp",
] as const satisfies readonly (keyof IcmMessageRow)[];

/** Merges the rows of each message into the row that one database with all chains would have. */
export function mergedMessages(stored: readonly StoredMessage[]): IcmMessageRow[] {
  const byId = new Map<string, StoredMessage[]>();
  for (const one of stored) {
    const others = byId.get(one.row.messageId);
    if (others) others.push(one);
    else byId.set(one.row.messageId, [one]);
  }
  return [...byId.values()].flatMap((rows) => merged(rows) ?? []);
}

/** Null if no database has an end of the message. */
function merged(stored: readonly StoredMessage[]): IcmMessageRow | null {
  const withEnd = (end: "sourceChainId" | "destinationChainId") =>
    stored.find(({ row, has }) => row[end] !== null && has(row[end]))?.row;
  const sent = withEnd("sourceChainId");
  const received = withEnd("destinationChainId");
  const [any] = stored;
  if (!any || (!sent && !received)) return null;
  const columns = [
    ...SOURCE.map((column) => [column, sent?.[column] ?? null]),
    ...DESTINATION.map((column) => [column, received?.[column] ?? null]),
  ];
  const ends: IcmMessageRow = { ...any.row, ...Object.fromEntries(columns) };
  return { ...ends, ...derived(ends) };
}

/** Columns that follow from both ends: as indexer/evm/store/icm-messages.ts writes them. */
function derived(ends: IcmMessageRow): Partial<IcmMessageRow> {
  const { sentTimestamp, receivedTimestamp, executedTimestamp, failedTimestamp } = ends;
  return {
    state: stateOf(ends),
    messageTimestamp: sentTimestamp ?? receivedTimestamp ?? executedTimestamp ?? failedTimestamp ?? "0",
    source: ends.sourceChainId ?? ends.receivedSourceId?.slice(2) ?? null,
    destination: ends.destinationChainId ?? ends.sentDestinationId?.slice(2) ?? null,
    originSender: ends.sentSender ?? ends.receivedSender,
    destinationAddress: ends.sentRecipient ?? ends.receivedRecipient,
  };
}

function stateOf({ executedTimestamp, failedTimestamp, destinationChainId }: IcmMessageRow): IcmMessageState {
  if (executedTimestamp !== null) return "EXECUTED";
  if (failedTimestamp !== null) return "FAILED";
  return destinationChainId === null ? "SENT" : "RECEIVED";
}
