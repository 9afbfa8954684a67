import { type Database, prepared } from "../../../core/database/database.ts";
import { parseIdText } from "../../../core/formats/id-text.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import { type PageFrom, type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import type { Work } from "../../../core/work/work.ts";
import { endsOfRange, sorted } from "../../shared/rows/keyset.ts";
import { createListReader, type ListReader, type ListReaderOptions } from "../../shared/rows/list-reader.ts";
import { bigint, bytea, byteaArray, MAX_BIGINT } from "../../shared/rows/text-rows.ts";
import type { SortOrder } from "../../shared/schema/sort-order.ts";
import {
  MESSAGE_ORDER,
  MESSAGE_POSITION_AT,
  MESSAGES_BY_ID,
  type MessageScope,
  type MessageSide,
  messagePositions,
  messagesStatement,
} from "./statement.ts";
import {
  ALL_STATES,
  type IcmMessage,
  type IcmMessageRow,
  type IcmMessageState,
  type IcmMessagesArgs,
} from "./types.ts";

export interface IcmMessageKey {
  /** `0x` hex. */
  readonly messageId: string;
}

export interface IcmMessageStore {
  /** A page of messages. One statement. Throws `NOT_FOUND` for a chain that is not configured, and `INVALID_PARAMETER` for an invalid page. */
  page(args: IcmMessagesArgs, work: Work): Promise<Page<IcmMessage>>;
  /** Messages by id, in any order. One statement. */
  byId(keys: readonly IcmMessageKey[], work: Work): Promise<IcmMessage[]>;
}

/** Normalised filter of a list: equal for equivalent arguments. */
interface Filter {
  /** Values of the columns `source` and `destination`; null: any. */
  readonly chains: readonly string[] | null;
  readonly address: string | null;
  readonly sides: readonly MessageSide[];
  readonly states: readonly IcmMessageState[];
  readonly from: string;
  readonly to: string;
  readonly direction: SortOrder;
}

/** Grows with every block of any chain. */
const HEAD = "SELECT coalesce(sum(block_number), 0) FROM chain_heads";

export function createIcmMessageStore(
  { pool }: Pick<Database, "pool">,
  configuredChains: Chains,
  tokens: PageTokens,
): IcmMessageStore {
  const readers = new Map<string, ListReader<IcmMessageRow>>();
  const byId = prepared<IcmMessageRow>(pool, "icm-messages-by-id", MESSAGES_BY_ID);
  return {
    async page(args, work) {
      const filter = filterOf(configuredChains, args);
      const { chains, address, states, from, to } = filter;
      const options = optionsOf(filter);
      const reader = readers.get(options.name) ?? createListReader<IcmMessageRow>(pool, options);
      readers.set(options.name, reader);
      const values = ({ position, limit }: PageFrom) => [
        ...position,
        limit,
        states,
        from,
        to,
        ...(chains ? [chains] : []),
        ...(address ? [bytea(address)] : []),
      ];
      const ends = endsOfRange(options.order, from, to);
      const page = await readListPage<IcmMessageRow>(tokens, {
        list: "icmMessages",
        parameters: Object.values(filter),
        page: args,
        ends,
        read: (start) => reader.read(values, start, work),
        count: () => reader.count(values, work, ends),
        positionOf: ({ messageTimestamp, messageId }) => [messageTimestamp, bytea(messageId)],
      });
      return page.withNodes(page.nodes.map(messageFromRow));
    },
    byId: async (keys, work) =>
      (await byId([byteaArray(keys.map(({ messageId }) => messageId))], work)).map(messageFromRow),
  };
}

function filterOf(configuredChains: Chains, { filter, orderBy }: IcmMessagesArgs): Filter {
  const { chains, address, direction, states, fromTime, toTime } = filter ?? {};
  const keys = (chains ?? []).flatMap((name) => {
    const { chainId, blockchainId } = configuredChains.require(name);
    // The row of a message that no event of the chain names yet has the blockchain id.
    const hex = blockchainId ? parseIdText(blockchainId) : null;
    return hex === null ? [String(chainId)] : [String(chainId), hex];
  });
  return {
    chains: keys.length > 0 ? [...new Set(keys)].sort() : null,
    address: address ?? null,
    sides: direction ? [direction] : ["RECEIVED", "SENT"],
    states: states?.length ? [...new Set(states)].sort() : ALL_STATES,
    from: fromTime ? bigint(fromTime) : "0",
    to: toTime ? bigint(toTime) : MAX_BIGINT,
    direction: orderBy?.direction ?? "desc",
  };
}

function scopeOf({ chains, address }: Filter): MessageScope {
  if (address) return chains ? "addressOnChains" : "address";
  return chains ? "chains" : "all";
}

function optionsOf(filter: Filter): ListReaderOptions {
  const { sides, direction } = filter;
  const scope = scopeOf(filter);
  const order = sorted(MESSAGE_ORDER, direction);
  const ofSides = scope === "all" ? "" : `-${sides.join("-").toLowerCase()}`;
  return {
    name: `icm-messages-of-${scope}${ofSides}-${direction}`,
    order,
    positionAt: MESSAGE_POSITION_AT,
    select: (keyset) => messagesStatement(scope, sides, keyset),
    selectCounted: (keyset) => messagePositions(scope, sides, keyset),
    head: HEAD,
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
