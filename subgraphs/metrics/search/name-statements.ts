import { MAX_TEXT_LENGTH } from "./parse-text.ts";

/** A name is found by its beginning, or by the beginning of one of its first words, up to this one. */
const MAX_WORDS = 5;

/** What separates the words of a name, in a bracket expression of PostgreSQL: space and punctuation. All other characters are parts of words. */
const SEPARATORS = "]()[&|+#,;:/._ -";

/**
 * SQL of a text in lower case. The collation C changes the letters A to Z, and no other characters, whatever the locale of the database is.
 */
const inLowerCase = (text: string): string => `lower(${text} COLLATE "C")`;

const TEXT = inLowerCase("$2::text");

/**
 * SQL of what a name has from its word number `word` on; NULL if it has fewer words. From the first word on it is the whole name. The migration
 * has the same expressions, because an index is found by its expression.
 */
function fromWord(column: string, word: number): string {
  const name = `left(${column}, ${MAX_TEXT_LENGTH})`;
  const [inWord, between] = [`[^${SEPARATORS}]`, `[${SEPARATORS}]`];
  return word === 1
    ? name
    : `substring(${name} from '^${between}*(?:${inWord}+${between}+){${word - 1}}(${inWord}.*)$')`;
}

/** What a statement finds by name. */
export interface NamedTable {
  readonly table: string;
  /** Column of the chain or network. */
  readonly partition: string;
  /** SELECT list of the columns of a result, without the chain or network. */
  readonly columns: string;
  /** Columns that have names. */
  readonly names: readonly string[];
  /** Columns by which rows with the same name are ordered. */
  readonly order: readonly string[];
}

/** How a name matches: as a whole, by its beginning, or by the beginning of a later word. */
export const RANKS = { whole: 0, beginning: 1, word: 2 } as const;

/** Rows of one chain or network whose name matches in one way, at most `$3`, read in the order of an index. */
function matching(
  { table, partition, order }: NamedTable,
  { column, word, rank }: { readonly column: string; readonly word: number; readonly rank: number },
): string {
  const key = inLowerCase(fromWord(`t.${column}`, word));
  const hasName = word === 1 ? `t.${column} <> ''` : `${fromWord(`t.${column}`, word)} IS NOT NULL`;
  const isAtLeast = rank === RANKS.word ? ">=" : ">";
  const matches =
    rank === RANKS.whole ? `${key} = ${TEXT}` : `${key} ${isAtLeast} ${TEXT} AND ${key} < ${TEXT} || chr(1114111)`;
  return `(SELECT t.*, ${key} AS matched, ${rank} AS rank FROM ${table} t
      WHERE t.${partition} = $1 AND ${hasName} AND ${matches}
      ORDER BY ${[key, ...order.map((name) => `t.${name}`)].join(", ")} LIMIT $3)`;
}

/**
 * Rows on the chain or network `$1` whose name begins with a text (`$2`), or has a word that begins with it: first those whose whole name is the
 * text, then the other beginnings, then the words. A row that matches in several ways may occur several times.
 */
export function namedLike(found: NamedTable): string {
  const { partition, columns, names, order } = found;
  const id = partition === "chain_id" ? "chainId" : "networkId";
  const words = Array.from({ length: MAX_WORDS - 1 }, (_, at) => at + 2);
  const ways = [
    ...[RANKS.whole, RANKS.beginning].flatMap((rank) => names.map((column) => ({ column, word: 1, rank }))),
    ...words.map((word) => ({ column: "name", word, rank: RANKS.word })),
  ];
  return `SELECT $1::bigint AS "${id}", ${columns}, t.rank
  FROM (${ways.map((way) => matching(found, way)).join("\n    UNION ALL ")}) t
  ORDER BY t.rank, t.matched, ${order.map((name) => `t.${name}`).join(", ")}`;
}

const TOKEN = {
  partition: "chain_id",
  columns: "t.address, t.name, t.symbol",
  names: ["symbol", "name"],
  order: ["first_block_number", "address"],
} as const;

/** Tables whose rows are found by name. */
export const NAMED_TABLES = {
  erc20Tokens: { ...TOKEN, table: "erc20_tokens" },
  nftCollections: { ...TOKEN, table: "nft_contracts" },
  blockchains: {
    table: "blockchains",
    partition: "network_id",
    columns: 't.blockchain_id AS "blockchainId"',
    names: ["name"],
    order: ["blockchain_seq"],
  },
} as const satisfies Readonly<Record<string, NamedTable>>;

const IS_WORD_START = new RegExp(`[${SEPARATORS.replace("]", "\\]").replace("[", "\\[")}](?=.)`, "g");
const lowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** How a name matches a text, by the same rules as the statements, for any number of words; null if it does not. */
export function rankOf(name: string, text: string): number | null {
  const [own, wanted] = [lowerCase(name), lowerCase(text)];
  if (own === wanted) return RANKS.whole;
  if (own.startsWith(wanted)) return RANKS.beginning;
  const starts = [...own.matchAll(IS_WORD_START)].map(({ index }) => index + 1);
  return starts.some((start) => own.startsWith(wanted, start)) ? RANKS.word : null;
}
