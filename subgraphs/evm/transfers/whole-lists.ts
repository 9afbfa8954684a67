import type pg from "pg";
import {
  type Numbered,
  type PartitionRows,
  partitionValues,
  readByPartition,
} from "../../../core/database/by-partition.ts";
import { createDataLoader } from "../../../core/database/data-loader.ts";
import { type PreparedStatement, prepared, runTogether } from "../../../core/database/database.ts";
import type { StatementPool } from "../../../core/database/statement-pool.ts";
import { Failure } from "../../../core/errors/errors.ts";
import type { Work } from "../../../core/work/work.ts";
import {
  areRowsAccepted,
  listsOfParents,
  type WholeList,
  type WholeListOptions,
  wholeListParameters,
  wholeListStatement,
} from "../../shared/rows/whole-list.ts";
import { type Erc20TokenStore, FOUND_COLUMNS, type FoundToken } from "../erc20-tokens/store.ts";

type Parents = readonly (readonly string[])[];
type Tokens = Pick<Erc20TokenStore, "among">;

/** The rows that the statement of a kind returned for the parents of one chain. */
type ChainRows = Pick<PartitionRows<readonly string[], unknown>, "indexes" | "rows">;

/** Whole lists of one kind, and the ERC-20 tokens among the addresses in their rows. One statement for each chain reads both. */
export interface ListKind<Item> {
  readonly options: WholeListOptions;
  readonly statement: PreparedStatement<object>;
  /** The items of each of some parents, made of the rows that the statements returned. */
  listsOf(parents: Parents, found: readonly ChainRows[], work: Work): Promise<Item[][]>;
}

export interface ListKindOptions<Row> extends WholeListOptions {
  /** Columns with addresses that may be tokens. */
  readonly addresses: readonly (keyof Row & string)[];
}

/** The rows of tokens have no parent, and the rows of the list have no token. */
type FoundRow<Row> = (Row & Numbered) | (FoundToken & { readonly request: null });

export function createListKind<Row extends pg.QueryResultRow, Item>(
  pool: StatementPool,
  options: ListKindOptions<Row>,
  erc20Tokens: Erc20TokenStore,
  complete: (rows: Row[], work: Work, tokens: Tokens) => Promise<Item[]>,
): ListKind<Item> {
  return {
    options,
    statement: prepared(pool, options.name, withTokensStatement(options)),
    listsOf(parents, found, work) {
      const rowsOfParents = parents.map((): (Row & Numbered)[] => []);
      const tokens: FoundToken[] = [];
      for (const { indexes, rows } of found)
        for (const row of rows as FoundRow<Row>[]) {
          if (row.request === null) tokens.push(row as FoundToken);
          else rowsOfParents[indexes[Number(row.request) - 1] ?? -1]?.push(row as Row & Numbered);
        }
      return listsOfParents(options.name, rowsOfParents, (ofList) => complete(ofList, work, erc20Tokens.found(tokens)));
    },
  };
}

/**
 * The statement of the lists, and then the tokens among their addresses, in rows of their own. Each address is a look-up in the index, also
 * while the table of tokens has no statistics. Lists that are refused because of too many rows need no tokens.
 */
function withTokensStatement(options: ListKindOptions<never>): string {
  const addresses = options.addresses.map((name) => `"${name}"`).join(", ");
  return `WITH list AS MATERIALIZED (${wholeListStatement(options)})
    SELECT * FROM list FULL JOIN (
      SELECT token.* FROM (SELECT DISTINCT unnest(ARRAY[${addresses}]) AS address FROM list
        WHERE ${areRowsAccepted(options, "list")}) named, LATERAL (
        SELECT ${FOUND_COLUMNS} FROM erc20_tokens t WHERE t.chain_id = $1 AND t.address = named.address LIMIT 1
      ) token
    ) tokens ON false`;
}

type Kinds = Readonly<Record<string, ListKind<unknown>>>;
type Lists<OfKinds extends Kinds> = {
  readonly [Name in keyof OfKinds]: OfKinds[Name] extends ListKind<infer Item> ? WholeList<Item> : never;
};

interface Asked {
  readonly kind: ListKind<unknown>;
  readonly parent: readonly string[];
}

/**
 * Returns a function that makes the lists of one request. All that is asked for in one tick is one statement for each kind. If the lists of
 * one kind fail, those of the other kinds do not.
 */
export function createWholeLists<OfKinds extends Kinds>(kinds: OfKinds): (work: Work) => Lists<OfKinds> {
  return (work) => {
    const loader = createDataLoader("wholeLists", (asked: readonly Asked[]) => read(asked, work), {
      cacheKeyFn: ({ kind, parent }) => `${kind.options.name} ${parent.join(" ")}`,
    });
    const lists = Object.entries(kinds).map(([name, kind]) => [
      name,
      (parent: readonly string[]) => loader.load({ kind, parent }),
    ]);
    return Object.fromEntries(lists) as Lists<OfKinds>;
  };
}

type Result = unknown[] | Error;

async function read(asked: readonly Asked[], work: Work): Promise<Result[]> {
  const parentsOf = new Map<ListKind<unknown>, (readonly string[])[]>();
  for (const { kind, parent } of asked) {
    const parents = parentsOf.get(kind);
    if (parents) parents.push(parent);
    else parentsOf.set(kind, [parent]);
  }
  const groups = [...parentsOf];
  const together = rowsTogether(groups, work);
  const lists = groups.map(async ([kind, parents], at) => {
    const results = await listsOrFailures(kind, parents, work, async () => (await together)?.[at]);
    return [kind, results.values()] as const;
  });
  const remaining = new Map(await Promise.all(lists));
  // The lists of each kind have the order in which they were asked for.
  return asked.map(({ kind }) => remaining.get(kind)?.next().value ?? []);
}

/** The list of each parent. If they fail, the reason for each. `rowsOf` returns the rows, or undefined if their statements must be sent. */
async function listsOrFailures(
  { options, statement, listsOf }: ListKind<unknown>,
  parents: Parents,
  work: Work,
  rowsOf: () => Promise<readonly ChainRows[] | undefined>,
): Promise<Result[]> {
  const rowsAlone = readByPartition(statement, wholeListParameters(options, parents.length));
  try {
    return await listsOf(parents, (await rowsOf()) ?? (await rowsAlone(parents, work)), work);
  } catch (error) {
    return parents.map(() => error as Error);
  }
}

type Groups = readonly (readonly [ListKind<unknown>, Parents])[];

/**
 * The rows of each group, whose statements are sent together. Null if each statement must be sent alone: statements for several parents may
 * take long, and must not wait for one another. An error of one statement ends all. After a `Failure`, for example an outage, none is sent
 * again.
 */
async function rowsTogether(groups: Groups, work: Work): Promise<ChainRows[][] | null> {
  const [first, ...others] = groups.map(([{ statement, options }, parents]) =>
    statement.with(partitionValues(parents, wholeListParameters(options, 1))),
  );
  if (!first || groups.some(([, parents]) => parents.length > 1)) return null;
  try {
    return (await runTogether([first, ...others], work)).map((rows) => [{ indexes: [0], rows }]);
  } catch (error) {
    if (error instanceof Failure) throw error;
    return null;
  }
}
