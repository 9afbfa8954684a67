import DataLoader from "dataloader";
import type pg from "pg";
import { type PreparedStatement, prepared, runTogether } from "../../../core/database.ts";
import { observeBatch } from "../../../core/observability/observe-reads.ts";
import {
  listsOfParents,
  type OfParent,
  type WholeList,
  type WholeListOptions,
  wholeListStatement,
  wholeListValues,
} from "../../shared/rows/whole-list.ts";
import { type Erc20TokenStore, FOUND_COLUMNS, type FoundToken } from "../erc20-tokens/store.ts";

type Parents = readonly (readonly string[])[];
type Tokens = Pick<Erc20TokenStore, "among">;

/** Whole lists of one kind, and the ERC-20 tokens among the addresses in their rows. One statement reads both. */
export interface ListKind<Item> {
  readonly options: WholeListOptions;
  readonly statement: PreparedStatement<unknown>;
  /** The items of each parent, made of the rows that the statement returned. */
  listsOf(parents: Parents, rows: unknown[]): Promise<Item[][]>;
}

export interface ListKindOptions<Row> extends WholeListOptions {
  /** Columns with addresses that may be tokens. */
  readonly addresses: readonly (keyof Row & string)[];
}

/** The rows of tokens have no parent, and the rows of the list have no token. */
type FoundRow<Row> = (Row & OfParent) | (FoundToken & { readonly request: null });

export function createListKind<Row extends pg.QueryResultRow, Item>(
  pool: pg.Pool,
  options: ListKindOptions<Row>,
  erc20Tokens: Erc20TokenStore,
  complete: (rows: Row[], tokens: Tokens) => Promise<Item[]>,
): ListKind<Item> {
  return {
    options,
    statement: prepared(pool, options.name, withTokensStatement(options)),
    listsOf(parents, found) {
      const rows: (Row & OfParent)[] = [];
      const tokens: FoundToken[] = [];
      for (const row of found as FoundRow<Row>[]) {
        if (row.request === null) tokens.push(row as FoundToken);
        else rows.push(row as Row & OfParent);
      }
      return listsOfParents(options.name, parents, rows, (ofList) => complete(ofList, erc20Tokens.found(tokens)));
    },
  };
}

/**
 * The statement of the lists, and then the tokens among their addresses, in rows of their own. Each address is a look-up in the index, also
 * while the table of tokens has no statistics.
 */
export function withTokensStatement(options: ListKindOptions<never>): string {
  const addresses = options.addresses.map((name) => `"${name}"`).join(", ");
  return `WITH list AS MATERIALIZED (${wholeListStatement(options)})
    SELECT * FROM list FULL JOIN (
      SELECT token.* FROM (SELECT DISTINCT "chainId", unnest(ARRAY[${addresses}]) AS address FROM list) named, LATERAL (
        SELECT ${FOUND_COLUMNS} FROM erc20_tokens t WHERE t.chain_id = named."chainId" AND t.address = named.address LIMIT 1
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

/** Makes the lists of one request. All that is asked for in one tick is one statement for each kind, and these are sent together. */
export function createWholeLists<OfKinds extends Kinds>(kinds: OfKinds): Lists<OfKinds> {
  const loader = new DataLoader(load, { cacheKeyFn: ({ kind, parent }) => `${kind.options.name} ${parent.join(" ")}` });
  const lists = Object.entries(kinds).map(([name, kind]) => [
    name,
    (parent: readonly string[]) => loader.load({ kind, parent }),
  ]);
  return Object.fromEntries(lists) as Lists<OfKinds>;
}

async function load(asked: readonly Asked[]): Promise<unknown[][]> {
  const parentsOf = new Map<ListKind<unknown>, (readonly string[])[]>();
  for (const { kind, parent } of asked) {
    const parents = parentsOf.get(kind);
    if (parents) parents.push(parent);
    else parentsOf.set(kind, [parent]);
  }
  const groups = [...parentsOf];
  const rows = rowsOf(groups);
  const read = groups.map(([{ options, listsOf }, parents], at) =>
    observeBatch(options.name, parents.length, async () => listsOf(parents, (await rows)[at] ?? [])),
  );
  const lists = (await Promise.all(read)).map((ofKind, at) => [groups[at]?.[0], ofKind.values()] as const);
  const remaining = new Map(lists);
  // The lists of each kind have the order in which they were asked for.
  return asked.map(({ kind }) => remaining.get(kind)?.next().value ?? []);
}

type Groups = readonly (readonly [ListKind<unknown>, Parents])[];

async function rowsOf(groups: Groups): Promise<unknown[][]> {
  const [first, ...others] = groups.map(([{ statement, options }, parents]) =>
    statement.with(wholeListValues(options, parents)),
  );
  return first ? runTogether([first, ...others]) : [];
}
