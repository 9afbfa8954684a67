import type { Session, Writer } from "../../shared/writer.ts";
import type { BlockRange } from "../block-range.ts";
import {
  type ComparedMessage,
  compareMessageRows,
  compareNextMessages,
  messagesOfBlocks,
  refreshMessages,
} from "../store/icm-messages.ts";
import { NO_ROW } from "./example.ts";
import { type Gap } from "./gap.ts";

/** Whether the events are right, or repaired, from which messages are computed. */
export const canCompareMessages = (gaps: readonly Gap[]): boolean =>
  gaps.every(({ table, isRepaired }) => isRepaired || table !== "icm_events");

/**
 * Compares the chain's ends of interchain messages with the events that are stored, which must be right. With `repair`, replaces the rows
 * that differ. The ends of other chains are compared by the command for those chains. One transaction for each page of messages.
 */
export async function compareMessages(writer: Writer, chainId: string, repair: boolean): Promise<Gap[]> {
  const total = { expected: 0, found: 0, wrong: 0 };
  let isDifferent = false;
  for (let after: Buffer | undefined = Buffer.alloc(0); after; ) {
    const page = await comparePage(writer, chainId, after, repair);
    const { expected, found, wrong } = countsOf(page.messages);
    total.expected += expected;
    total.found += found;
    total.wrong += wrong;
    isDifferent ||= page.messages.some(({ is_different }) => is_different);
    after = page.last;
  }
  return isDifferent ? [{ ...total, table: "icm_messages", blockNumber: null, isRepaired: repair }] : [];
}

/** Compares the messages that events of these blocks name with all of the chain's events. Two statements. */
export async function compareMessagesOfBlocks(
  session: Pick<Session, "query">,
  chainId: string,
  { from, to }: BlockRange,
): Promise<{ readonly compared: number; readonly gaps: readonly Gap[] }> {
  const ids = await messagesOfBlocks(session, chainId, [from, to]);
  const messages = await compareMessageRows(session, chainId, ids);
  const [first] = messages.filter(({ is_different }) => is_different);
  if (!first) return { compared: messages.length, gaps: [] };
  const example = {
    key: `message_id=0x${first.message_id.toString("hex")}`,
    indexed: first.is_found ? "a row that differs" : NO_ROW,
    expected: first.is_expected ? "the row that its events give" : NO_ROW,
  };
  const gap = { ...countsOf(messages), table: "icm_messages", blockNumber: null, isRepaired: false, example } as const;
  return { compared: messages.length, gaps: [gap] };
}

const countsOf = (messages: readonly ComparedMessage[]): Pick<Gap, "expected" | "found" | "wrong"> => ({
  expected: count(messages, ({ is_expected }) => is_expected),
  found: count(messages, ({ is_found }) => is_found),
  wrong: count(messages, ({ is_found, is_different }) => is_found && is_different),
});

function comparePage(
  writer: Writer,
  chainId: string,
  after: Buffer,
  repair: boolean,
): ReturnType<typeof compareNextMessages> {
  return writer.transaction(async (session) => {
    const page = await compareNextMessages(session, chainId, after);
    const different = page.messages.filter(({ is_different }) => is_different);
    if (repair)
      await refreshMessages(
        session,
        chainId,
        different.map(({ message_id }) => message_id),
      );
    return page;
  });
}

const count = (messages: readonly ComparedMessage[], is: (message: ComparedMessage) => boolean): number =>
  messages.filter(is).length;
