import type { Writer } from "../../../shared/writer.ts";
import { type ComparedMessage, compareNextMessages, refreshMessages } from "../../store/icm-messages.ts";
import type { Gap } from "./gap.ts";

/**
 * Compares the chain's ends of interchain messages with the events that are stored, which must be right. With `repair`, replaces the rows
 * that differ. The ends of other chains are compared by the command for those chains. One transaction for each page of messages.
 */
export async function compareMessages(writer: Writer, chainId: string, repair: boolean): Promise<Gap[]> {
  const total = { expected: 0, found: 0, wrong: 0 };
  let isDifferent = false;
  for (let after: Buffer | undefined = Buffer.alloc(0); after; ) {
    const page = await comparePage(writer, chainId, after, repair);
    total.expected += count(page.messages, ({ is_expected }) => is_expected);
    total.found += count(page.messages, ({ is_found }) => is_found);
    total.wrong += count(page.messages, ({ is_found, is_different }) => is_found && is_different);
    isDifferent ||= page.messages.some(({ is_different }) => is_different);
    after = page.last;
  }
  return isDifferent ? [{ ...total, table: "icm_messages", blockNumber: null, isRepaired: repair }] : [];
}

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
