import type { Session } from "../../shared/writer.ts";
import type { EncodedBlock } from "../decode/encoded-block.ts";

/** Messages whose rows one statement writes again. */
const PAGE = 10_000;

/** Columns that follow from the events of the source chain: SQL of their values. `sent` is the first event, `fee` the last one with a fee. */
const SOURCE: Readonly<Record<string, string>> = {
  source_chain_id: "sent.chain_id",
  sent_block_number: "sent.block_number",
  sent_log_index: "sent.log_index",
  sent_timestamp: "sent.block_timestamp",
  sent_destination_id: "sent.blockchain_id",
  sent_nonce: "sent.message_nonce",
  sent_sender_address: "sent.origin_sender_address",
  sent_recipient_address: "sent.destination_address",
  sent_gas_limit: "sent.required_gas_limit",
  fee_token_address: "CASE WHEN sent.chain_id IS NOT NULL THEN fee.fee_token_address END",
  fee_amount: "CASE WHEN sent.chain_id IS NOT NULL THEN fee.fee_amount END",
};

/** The same for the destination chain. `received`, `executed` and `failed` are the first events of each kind. */
const DESTINATION: Readonly<Record<string, string>> = {
  destination_chain_id: "coalesce(received.chain_id, executed.chain_id, failed.chain_id)",
  received_source_id: "coalesce(received.blockchain_id, executed.blockchain_id, failed.blockchain_id)",
  received_block_number: "received.block_number",
  received_log_index: "received.log_index",
  received_timestamp: "received.block_timestamp",
  received_nonce: "coalesce(received.message_nonce, failed.message_nonce)",
  received_sender_address: "coalesce(received.origin_sender_address, failed.origin_sender_address)",
  received_recipient_address: "coalesce(received.destination_address, failed.destination_address)",
  received_gas_limit: "coalesce(received.required_gas_limit, failed.required_gas_limit)",
  relayer_address: "received.relayer_address",
  executed_block_number: "executed.block_number",
  executed_log_index: "executed.log_index",
  executed_timestamp: "executed.block_timestamp",
  failed_block_number: "failed.block_number",
  failed_log_index: "failed.log_index",
  failed_timestamp: "failed.block_timestamp",
};

const ENDS = [...Object.keys(SOURCE), ...Object.keys(DESTINATION)];

/** Columns that follow from both ends, which are the columns that `of` names. */
const derived = (of: (column: string) => string): Readonly<Record<string, string>> => ({
  state: `CASE WHEN ${of("executed_timestamp")} IS NOT NULL THEN 'EXECUTED' WHEN ${of("failed_timestamp")} IS NOT NULL THEN 'FAILED'
    WHEN ${of("destination_chain_id")} IS NOT NULL THEN 'RECEIVED' ELSE 'SENT' END`,
  message_timestamp: `coalesce(${["sent", "received", "executed", "failed"].map((step) => of(`${step}_timestamp`)).join(", ")}, 0)`,
  source: `coalesce(${of("source_chain_id")}::text, encode(${of("received_source_id")}, 'hex'))`,
  destination: `coalesce(${of("destination_chain_id")}::text, encode(${of("sent_destination_id")}, 'hex'))`,
  origin_sender_address: `coalesce(${of("sent_sender_address")}, ${of("received_sender_address")})`,
  destination_address: `coalesce(${of("sent_recipient_address")}, ${of("received_recipient_address")})`,
});

/** An end that another chain has written stays, unless the chain has events of it. `written` has the ends that follow from the chain's events. */
function merged(column: string, written: string): string {
  const chain = column in SOURCE ? "source_chain_id" : "destination_chain_id";
  return `CASE WHEN ${written}.${chain} IS NULL AND icm_messages.${chain} <> $1 THEN icm_messages.${column} ELSE ${written}.${column} END`;
}

const assignments = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([column, value]) => `${column} = ${value}`)
    .join(", ");

const selected = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([column, value]) => `${value} AS ${column}`)
    .join(", ");

const eventOf = (name: string, events: string, order: "" | "DESC" = ""): string => `LEFT JOIN LATERAL (
    SELECT * FROM icm_events e WHERE e.chain_id = $1 AND e.message_id = k.message_id AND e.event IN (${events})
    ORDER BY e.block_timestamp ${order}, e.block_number ${order}, e.log_index ${order} LIMIT 1
  ) ${name} ON true`;

/** The ends of messages `$2` that follow from the events of chain `$1`. */
const ENDS_OF_CHAIN = `SELECT k.message_id, ${selected({ ...SOURCE, ...DESTINATION })} FROM (SELECT DISTINCT unnest($2::bytea[]) AS message_id) k
    ${eventOf("sent", "'SendCrossChainMessage'")}
    ${eventOf("fee", "'SendCrossChainMessage', 'AddFeeAmount'", "DESC")}
    ${eventOf("received", "'ReceiveCrossChainMessage'")}
    ${eventOf("executed", "'MessageExecuted'")}
    ${eventOf("failed", "'MessageExecutionFailed'")}`;

const COLUMNS = ["message_id", ...ENDS, ...Object.keys(derived(String))].join(", ");

/**
 * Writes the rows of messages again, from the events of chain `$1`. The writers of other chains write the same rows: every transaction locks
 * rows in the order of their ids, and in this statement alone, so that writers never wait for one another in a circle.
 */
const REFRESH = `INSERT INTO icm_messages (${COLUMNS})
  SELECT ends.*, ${selected(derived((column) => `ends.${column}`))} FROM (${ENDS_OF_CHAIN}) ends ORDER BY ends.message_id
  ON CONFLICT (message_id) DO UPDATE SET
    ${assignments(Object.fromEntries(ENDS.map((column) => [column, merged(column, "excluded")])))}, ${assignments(derived((column) => `(${merged(column, "excluded")})`))}`;

/** The rows of messages `$2` as `refreshMessages` leaves them. */
const REFRESHED = `SELECT message.*, ${selected(derived((column) => `message.${column}`))} FROM (
    SELECT message_id, ${selected(Object.fromEntries(ENDS.map((column) => [column, merged(column, "ends")])))}
    FROM (${ENDS_OF_CHAIN}) ends LEFT JOIN icm_messages USING (message_id)
  ) message WHERE source_chain_id IS NOT NULL OR destination_chain_id IS NOT NULL`;

const COMPARE = `WITH expected AS (${REFRESHED}), found AS (SELECT ${COLUMNS} FROM icm_messages WHERE message_id = ANY ($2))
  SELECT message_id, expected.message_id IS NOT NULL AS is_expected, found.message_id IS NOT NULL AS is_found,
    expected IS DISTINCT FROM found AS is_different
  FROM expected FULL JOIN found USING (message_id)`;

const DELETE_EMPTY =
  "DELETE FROM icm_messages WHERE message_id = ANY ($1) AND source_chain_id IS NULL AND destination_chain_id IS NULL";

const OF_BLOCKS = `SELECT DISTINCT message_id FROM icm_events
  WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3 AND event <> 'SendWarpMessage'`;

const OF_CHAIN = `SELECT message_id FROM icm_messages
  WHERE (source_chain_id = $1 OR destination_chain_id = $1) AND message_id > $2 ORDER BY message_id LIMIT ${PAGE}`;

const OF_CHAIN_OR_EVENTS = `(${OF_CHAIN}) UNION (SELECT DISTINCT message_id FROM icm_events
  WHERE chain_id = $1 AND event <> 'SendWarpMessage' AND message_id > $2 ORDER BY message_id LIMIT ${PAGE})
  ORDER BY message_id LIMIT ${PAGE}`;

interface MessageRow extends Record<string, unknown> {
  readonly message_id: Buffer;
}

const idsIn = (rows: readonly MessageRow[]): Buffer[] => rows.map(({ message_id }) => message_id);

/** The messages that events of blocks name, from block `first` to `last`. */
export async function messagesOfBlocks(
  session: Pick<Session, "query">,
  chainId: string,
  [first, last]: readonly [first: number, last: number],
): Promise<Buffer[]> {
  return idsIn(await session.query<MessageRow>(OF_BLOCKS, [chainId, first, last]));
}

/** Writes the rows of messages again after events of the chain were added or deleted. Once in a transaction. */
export async function refreshMessages(session: Session, chainId: string, messageIds: readonly Buffer[]): Promise<void> {
  if (messageIds.length === 0) return;
  await session.query(REFRESH, [chainId, messageIds]);
  await session.query(DELETE_EMPTY, [messageIds]);
}

/** Writes the rows of the messages of new blocks, whose events are stored. */
export async function insertMessages(
  session: Session,
  chainId: string,
  blocks: readonly EncodedBlock[],
): Promise<void> {
  const withEvents = blocks.filter(({ encoded }) => encoded.icm_events !== null);
  const [first] = withEvents;
  const last = withEvents.at(-1);
  if (!first || !last) return;
  await refreshMessages(session, chainId, await messagesOfBlocks(session, chainId, [first.number, last.number]));
}

/** A message whose stored row is compared with the row that its events give. */
export interface ComparedMessage extends Record<string, unknown> {
  readonly message_id: Buffer;
  readonly is_expected: boolean;
  readonly is_found: boolean;
  /** True also if only one of the rows exists. */
  readonly is_different: boolean;
}

/**
 * Compares the chain's ends of the next messages after id `after` with the chain's events. Ends that other chains have written count as
 * right. `last` is the id of the last compared message, undefined if there is none. Two statements.
 */
export async function compareNextMessages(
  session: Session,
  chainId: string,
  after: Buffer,
): Promise<{ readonly messages: readonly ComparedMessage[]; readonly last: Buffer | undefined }> {
  const ids = idsIn(await session.query<MessageRow>(OF_CHAIN_OR_EVENTS, [chainId, after]));
  return { messages: await compareMessageRows(session, chainId, ids), last: ids.at(-1) };
}

/** The same for messages with these ids. One statement. */
export function compareMessageRows(
  session: Pick<Session, "query">,
  chainId: string,
  ids: readonly Buffer[],
): Promise<ComparedMessage[]> {
  return session.query<ComparedMessage>(COMPARE, [chainId, ids]);
}

/** Deletes the chain's ends of all messages, after its events were deleted. */
export async function clearMessages(session: Session, chainId: string): Promise<void> {
  for (let after: Buffer | undefined = Buffer.alloc(0); after; ) {
    const ids: Buffer[] = idsIn(await session.query<MessageRow>(OF_CHAIN, [chainId, after]));
    await refreshMessages(session, chainId, ids);
    after = ids.at(-1);
  }
}
