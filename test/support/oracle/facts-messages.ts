import type { FactRow } from "./fact-row.ts";

/** The events of some chains with which a message begins, goes on and ends. */
type Events = readonly FactRow[];

const ofKind = (events: Events, kind: string): FactRow | undefined => events.find((row) => row["event"] === kind);

const column = (row: FactRow | undefined, name: string): string | null => row?.[name] ?? null;

/** Events in the order of time and, on a chain, in its order. */
const inOrder = (one: FactRow, other: FactRow): number =>
  Number(one["block_timestamp"]) - Number(other["block_timestamp"]) ||
  Number(one["block_number"]) - Number(other["block_number"]) ||
  Number(one["log_index"]) - Number(other["log_index"]);

/** The messages of the events of all chains, by id: what the Teleporter protocol says of them. */
export function expectedMessages(events: Events): FactRow[] {
  const byId = new Map<string, FactRow[]>();
  for (const event of [...events].filter((row) => row["event"] !== "SendWarpMessage").sort(inOrder)) {
    const id = event["message_id"] ?? "";
    byId.set(id, [...(byId.get(id) ?? []), event]);
  }
  return Array.from(byId, ([id, ofMessage]) => messageOf(id, ofMessage)).filter((row) => row !== null);
}

function messageOf(id: string, events: Events): FactRow | null {
  const sent = ofKind(events, "SendCrossChainMessage");
  const received = ofKind(events, "ReceiveCrossChainMessage");
  const executed = ofKind(events, "MessageExecuted");
  const failed = ofKind(events, "MessageExecutionFailed");
  const arrived = received ?? executed ?? failed;
  if (!sent && !arrived) return null;
  const fee = events.filter((row) => ["SendCrossChainMessage", "AddFeeAmount"].includes(row["event"] ?? "")).at(-1);
  const withMessage = sent ?? received ?? failed;
  const blockchain = (row: FactRow | undefined) => column(row, "blockchain_id")?.slice(2) ?? null;
  return {
    message_id: id,
    state: executed ? "EXECUTED" : failed ? "FAILED" : arrived ? "RECEIVED" : "SENT",
    message_timestamp: column(sent ?? arrived, "block_timestamp"),
    source: column(sent, "chain_id") ?? blockchain(arrived),
    destination: column(arrived, "chain_id") ?? blockchain(sent),
    origin_sender_address: column(withMessage, "origin_sender_address"),
    destination_address: column(withMessage, "destination_address"),
    sent_timestamp: column(sent, "block_timestamp"),
    received_timestamp: column(received, "block_timestamp"),
    executed_timestamp: column(executed, "block_timestamp"),
    failed_timestamp: column(failed, "block_timestamp"),
    relayer_address: column(received, "relayer_address"),
    fee_token_address: sent ? column(fee, "fee_token_address") : null,
    fee_amount: sent ? column(fee, "fee_amount") : null,
  };
}

/** SQL of the same columns of the table `icm_messages`, as texts. */
export const MESSAGE_COLUMNS = `'0x' || encode(message_id, 'hex') AS message_id, state, message_timestamp::text, source, destination,
  '0x' || encode(origin_sender_address, 'hex') AS origin_sender_address, '0x' || encode(destination_address, 'hex') AS destination_address,
  sent_timestamp::text, received_timestamp::text, executed_timestamp::text, failed_timestamp::text,
  '0x' || encode(relayer_address, 'hex') AS relayer_address, '0x' || encode(fee_token_address, 'hex') AS fee_token_address, fee_amount::text`;
