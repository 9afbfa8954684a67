import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { PartitionPools } from "../../../core/database/statement-pool.ts";
import { parseIdText } from "../../../core/formats/id-text.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import type { PageTokens } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { bigint, bytea, byteaArray, MAX_BIGINT } from "../../shared/rows/text-rows.ts";
import { createMessagesAcrossDatabases } from "./across-databases.ts";
import type { IcmMessageList } from "./message-list.ts";
import { MESSAGES_BY_ID, type MessageScope, type MessageSide, messagesSelect } from "./statement.ts";
import { ALL_STATES, type IcmMessage, type IcmMessageRow, type IcmMessageState } from "./types.ts";

export interface IcmMessageKey {
  /** `0x` hex. */
  readonly messageId: string;
}

export interface IcmMessageStore {
  /** Lists of messages. The pages of equal lists of several parents are one statement if all chains are in one database. */
  lists(work: Work): IcmMessageLists;
  /** Messages by id, in any order. One statement for each database. */
  byId(keys: readonly IcmMessageKey[], work: Work): Promise<IcmMessage[]>;
}

/** Reads a page of the messages of a filter. Throws `INVALID_PARAMETER` for an invalid page. */
export type IcmMessageLists = (list: IcmMessageList, page: PageRange) => Promise<Page<IcmMessage>>;

/** `mostRows` is the number of rows that a page considers if chains are in several databases. */
export function createIcmMessageStore(
  { pool }: Pick<Database, "pool">,
  tokens: PageTokens,
  mostRows?: number,
): IcmMessageStore {
  if ("poolOf" in pool) return storeAcross(pool, tokens, mostRows);
  const byId = prepared<IcmMessageRow>(pool, "icm-messages-by-id", MESSAGES_BY_ID);
  const makers = new Map<string, (work: Work) => NestedList<IcmMessage>>();
  const makerOf = (list: IcmMessageList) => {
    const options = optionsOf(list);
    const complete = async (rows: IcmMessageRow[]) => rows.map(messageFromRow);
    const maker = makers.get(options.name) ?? createNestedList(pool, tokens, options, complete);
    makers.set(options.name, maker);
    return maker;
  };
  return {
    lists(work) {
      const lists = new Map<object, NestedList<IcmMessage>>();
      return (list, page) => {
        const maker = makerOf(list);
        const read = lists.get(maker) ?? maker(work);
        lists.set(maker, read);
        return read(keyOf(list), page);
      };
    },
    byId: async (keys, work) =>
      (await byId([byteaArray(keys.map(({ messageId }) => messageId))], work)).map(messageFromRow),
  };
}

/** The store of chains that are in several databases. */
function storeAcross(pools: PartitionPools, tokens: PageTokens, mostRows?: number): IcmMessageStore {
  const { byId, list: listOf } = createMessagesAcrossDatabases(pools, mostRows);
  return {
    lists: (work) => async (list, page) => {
      const found = await listOf(list, optionsOf(list), keyOf(list))(tokens, page, work);
      return found.withNodes(found.nodes.map(messageFromRow));
    },
    byId: async (keys, work) =>
      (
        await byId(
          keys.map(({ messageId }) => messageId),
          work,
        )
      ).map(messageFromRow),
  };
}

/** The key of a list: equal for equivalent filters. */
function keyOf({ chains, address, states, fromTime, toTime }: IcmMessageList): string[] {
  return [
    [...new Set(states?.length ? states : ALL_STATES)].sort().join(),
    [...new Set(chains?.flatMap(endsOf))].sort().join(),
    address ? bytea(address) : "",
    bigint(fromTime ?? "0"),
    bigint(toTime ?? MAX_BIGINT),
  ];
}

/** Values of the columns `source` and `destination`. The row of a message that no event of the chain names yet has the blockchain id. */
function endsOf({ chainId, blockchainId }: EvmChainConfig): string[] {
  const hex = blockchainId ? parseIdText(blockchainId) : null;
  return hex === null ? [String(chainId)] : [String(chainId), hex];
}

function scopeOf({ chains, address }: IcmMessageList): MessageScope {
  if (address) return chains ? "addressOnChains" : "address";
  return chains ? "chains" : "all";
}

function optionsOf(list: IcmMessageList) {
  const scope = scopeOf(list);
  const sides: readonly MessageSide[] = list.direction ? [list.direction] : ["RECEIVED", "SENT"];
  const ofSides = scope === "all" ? "" : `-${sides.join("-").toLowerCase()}`;
  return {
    name: `icm-messages-of-${scope}${ofSides}-${list.order}`,
    ...messagesSelect({ scope, sides, order: list.order }),
    positionOf: ({ messageTimestamp, messageId }: IcmMessageRow) => [messageTimestamp, bytea(messageId)],
  };
}

/** A message in the API's form. */
function messageFromRow(row: IcmMessageRow): IcmMessage {
  const { sentTimestamp, receivedTimestamp, feeAmount } = row;
  return {
    row,
    messageId: row.messageId,
    state: row.state as IcmMessageState,
    originSender: row.originSender,
    destinationAddress: row.destinationAddress,
    messageNonce: row.sentNonce ?? row.receivedNonce,
    requiredGasLimit: row.sentGasLimit ?? row.receivedGasLimit,
    feeToken: feeAmount === "0" ? null : row.feeToken,
    feeAmount,
    relayer: row.relayer,
    sentTimestamp,
    receivedTimestamp,
    executedTimestamp: row.executedTimestamp,
    failedTimestamp: row.failedTimestamp,
    latencySeconds:
      sentTimestamp === null || receivedTimestamp === null ? null : Number(receivedTimestamp) - Number(sentTimestamp),
  };
}
