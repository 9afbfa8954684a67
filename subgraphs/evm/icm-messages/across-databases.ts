import type pg from "pg";
import { prepared } from "../../../core/database/database.ts";
import type { PartitionPools } from "../../../core/database/statement-pool.ts";
import { Failure } from "../../../core/errors/errors.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import { type PageFrom, type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { endsOf } from "../../shared/rows/keyset.ts";
import { COUNT_LIMIT, directedName, inBothDirections, totalOf } from "../../shared/rows/list-reader.ts";
import { type NestedListOptions, statementOf } from "../../shared/rows/nested-list.ts";
import { bytea, byteaArray } from "../../shared/rows/text-rows.ts";
import { mergedMessages, type StoredMessage } from "./merge.ts";
import type { IcmMessageList } from "./message-list.ts";
import { HEAD_OF_ALL, MESSAGES_BY_ID } from "./statement.ts";
import { ALL_STATES, type IcmMessageRow } from "./types.ts";

/** Rows that are read from each database at most. The first read has twice as many as are wanted, each further one twice as many as before. */
const LARGEST_READ = 8_192;
/** Rows of each database that a page considers. */
const MOST_ROWS = 100_000;

/** Reads a page of a list. */
type ReadMessages = (tokens: PageTokens, page: PageRange, work: Work) => Promise<Page<IcmMessageRow>>;

/** The head of a database, as lists of messages have it. */
const HEAD = `SELECT (${HEAD_OF_ALL}) AS head`;

interface CandidateRow extends IcmMessageRow {
  readonly listHead: string | null;
}

/** A message that a database may have at its place in the list. */
interface Candidate {
  readonly pool: pg.Pool;
  readonly row: CandidateRow;
}

/**
 * Reads messages whose ends are in several databases. Each database has a row of a message with the ends that its own chains have written, so
 * the rows of a message are merged. The time of a message is that of one of its ends, so one of the rows has it: the message is listed where
 * this row is. The state follows from both ends, so rows in all states are read until the page is full, or fails with `OPERATION_TOO_COMPLEX`
 * after `mostRows` rows of each database.
 */
export function createMessagesAcrossDatabases(
  source: PartitionPools,
  mostRows = MOST_ROWS,
): {
  byId(messageIds: readonly string[], work: Work): Promise<IcmMessageRow[]>;
  list(list: IcmMessageList, options: NestedListOptions<IcmMessageRow>, key: readonly string[]): ReadMessages;
} {
  const reads = source.pools.map((pool) => ({
    pool,
    byId: prepared<IcmMessageRow>(pool, "icm-messages-by-id", MESSAGES_BY_ID),
    head: prepared<{ head: string }>(pool, "icm-messages-head", HEAD),
    statements: new Map<string, ReturnType<typeof prepared<CandidateRow>>>(),
  }));
  type Reads = (typeof reads)[number];

  const headOf = async ({ head }: Reads, work: Work): Promise<string> => (await head([], work))[0]?.head ?? "-1";

  async function byId(messageIds: readonly string[], work: Work): Promise<IcmMessageRow[]> {
    if (messageIds.length === 0) return [];
    const found = await Promise.all(
      reads.map(async ({ pool, byId }): Promise<StoredMessage[]> => {
        const rows = await byId([byteaArray(messageIds)], work);
        return rows.map((row) => ({ row, has: (chainId) => source.poolOf(chainId) === pool }));
      }),
    );
    return mergedMessages(found.flat());
  }

  function list(
    wanted: IcmMessageList,
    options: NestedListOptions<IcmMessageRow>,
    key: readonly string[],
  ): ReadMessages {
    requireBlockchainIds(wanted);
    const isWanted = filterOf(wanted, key);
    const texts = inBothDirections((isBackward) => statementOf(options, isBackward));
    const readFrom = (
      { pool, statements }: Reads,
      { position, isBackward }: Pick<PageFrom, "position" | "isBackward">,
      size: number,
      work: Work,
    ) => {
      const name = directedName(options.name, isBackward);
      const statement = statements.get(name) ?? prepared<CandidateRow>(pool, name, texts(isBackward));
      statements.set(name, statement);
      const [, ...others] = key;
      const values = [...others, ...position, size - 1].map((value) => [value]);
      return statement([ALL_STATES.join(), ...values], work);
    };
    /** Reads up to `limit` messages that follow a position, and the heads of the databases. `isCut` if more rows than `mostRows` had to be read. */
    const read = async ({ position: start, isBackward, limit }: PageFrom, work: Work) => {
      const compare = comparison((wanted.order === "desc") !== isBackward);
      const rows: IcmMessageRow[] = [];
      let heads: string[] | undefined;
      let position = start;
      let considered = 0;
      for (let size = limit * 2; ; size = Math.min(size * 2, LARGEST_READ)) {
        const batches = await Promise.all(reads.map((one) => readFrom(one, { position, isBackward }, size, work)));
        heads ??= await Promise.all(
          batches.map(async ([first], at) => first?.listHead ?? (await headOf(reads[at] as Reads, work))),
        );
        // What follows the last row of a database that has more rows may be in that database.
        const [end] = batches.flatMap((batch) => (batch.length < size ? [] : (batch.at(-1) ?? []))).sort(compare);
        const candidates = batches.flatMap((batch, at) =>
          batch
            .filter((row) => !end || compare(row, end) <= 0)
            .map((row) => ({ pool: source.pools[at] as pg.Pool, row })),
        );
        const merged = new Map((await byId(idsOf(candidates), work)).map((row) => [row.messageId, row]));
        const found = candidates.flatMap(({ row }) => {
          const message = merged.get(row.messageId);
          if (!message || message.messageTimestamp !== row.messageTimestamp || !isWanted(message)) return [];
          merged.delete(row.messageId);
          return [message];
        });
        rows.push(...found.sort(compare));
        if (!end || rows.length >= limit) return { rows: rows.slice(0, limit), heads, isCut: false };
        considered += size;
        if (considered >= mostRows) return { rows, heads, isCut: true };
        position = options.positionOf(end);
      }
    };
    return (tokens: PageTokens, page, work) =>
      readListPage<IcmMessageRow>(tokens, {
        list: options.name,
        parameters: key,
        page,
        ends: endsOf(options.order),
        async read(from) {
          const { rows, heads, isCut } = await read(from, work);
          if (isCut) throw tooMany(mostRows);
          return { rows, heads: () => heads };
        },
        positionOf: options.positionOf,
        async count() {
          const { first } = endsOf(options.order);
          const { rows, isCut } = await read({ position: first, isBackward: false, limit: COUNT_LIMIT }, work);
          return isCut ? { count: String(rows.length), isExact: false } : totalOf(rows.length);
        },
      });
  }

  return { byId, list };
}

const tooMany = (mostRows: number): Failure =>
  new Failure(
    "OPERATION_TOO_COMPLEX",
    `too few of ${mostRows} messages belong to the list to fill a page, and chains are in several databases: ask for fewer items, a shorter time or more states`,
  );

const idsOf = (candidates: readonly Candidate[]): string[] => [...new Set(candidates.map(({ row }) => row.messageId))];

/**
 * The database of a chain at the other end names a chain by its blockchain id alone.
 */
function requireBlockchainIds({ chains }: IcmMessageList): void {
  const unnamed = chains?.find(({ blockchainId }) => blockchainId === undefined);
  if (unnamed)
    throw new Failure(
      "UNAVAILABLE",
      `the messages of chain ${unnamed.chainId} cannot be listed: chains are in several databases, and the setting blockchainId of this chain is missing`,
    );
}

/** True for messages of the list. The key has states and ends of chains joined with commas, as `keyOf` makes it. */
function filterOf({ chains, address, direction }: IcmMessageList, [states = "", ends = ""]: readonly string[]) {
  const [wantedStates, wantedEnds] = [new Set(states.split(",")), new Set(ends.split(","))];
  const isEnd = (end: string | null, of: string | null): boolean =>
    (!chains || (end !== null && wantedEnds.has(end))) && (!address || of === address.toLowerCase());
  return ({ state, source, destination, originSender, destinationAddress }: IcmMessageRow): boolean =>
    wantedStates.has(state) &&
    ((direction !== "RECEIVED" && isEnd(source, originSender)) ||
      (direction !== "SENT" && isEnd(destination, destinationAddress)));
}

/** Compares messages by time, then by id. */
function comparison(isDescending: boolean) {
  const sign = isDescending ? -1 : 1;
  return (a: IcmMessageRow, b: IcmMessageRow): number => {
    const byTime = Number(BigInt(a.messageTimestamp) - BigInt(b.messageTimestamp));
    return sign * (byTime || (bytea(a.messageId) < bytea(b.messageId) ? -1 : Number(a.messageId !== b.messageId)));
  };
}
