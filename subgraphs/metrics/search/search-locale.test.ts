import { migrate } from "../../../core/database/migrate.ts";
import { openDatabase } from "../../../core/database/open-database.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";
import { createEmptyDatabase } from "../../../test/support/database/database.ts";
import { scansOf } from "../../../test/support/database/plans.ts";
import { SEARCH_CHAINS, SEARCH_CONFIG } from "../../../test/support/indexed/search-tables.ts";
import { NAMED_TABLES, namedLike } from "./name-statements.ts";
import { createSearchStore } from "./store.ts";

const NAMES = [
  "LINK",
  "link",
  "L\u0131nk",
  "L\u0130NK",
  "IDOL",
  "\u0131dol",
  "STRASSE",
  "stra\u00dfe",
  "\u00c9tat",
  "\u00e9tat",
];
/** Names that a search for a text finds: A to Z in any case, other letters as they are. */
const FOUND: readonly (readonly [text: string, names: readonly string[]])[] = [
  ["link", ["LINK", "link"]],
  ["LiNk", ["LINK", "link"]],
  ["L\u0131NK", ["L\u0131nk"]],
  ["l\u0130nk", ["L\u0130NK"]],
  ["i", ["IDOL"]],
  ["\u0131D", ["\u0131dol"]],
  ["strasse", ["STRASSE"]],
  ["STRA\u00dfE", ["stra\u00dfe"]],
  ["\u00c9TAT", ["\u00c9tat"]],
];

const TOKENS = namedLike(NAMED_TABLES.erc20Tokens);
const CHAIN = String(SEARCH_CHAINS[0]);
const LOCALES = [
  "LOCALE 'C'",
  "LOCALE_PROVIDER icu ICU_LOCALE 'tr' LOCALE 'C'",
  "LOCALE_PROVIDER icu ICU_LOCALE 'lt' LOCALE 'C'",
  "LOCALE_PROVIDER icu ICU_LOCALE 'de' LOCALE 'C'",
];

describe.each(LOCALES)("in a database with %s", (locale) => {
  it("a search finds the same names, by the index", async () => {
    await using empty = await createEmptyDatabase(`ENCODING 'UTF8' ${locale}`);
    await migrate(empty.url, () => {});
    await using database = openDatabase(empty.url, 1, createLogger("silent"));
    await database.pool.query(`CREATE TABLE erc20_tokens_${CHAIN} PARTITION OF erc20_tokens FOR VALUES IN (${CHAIN})`);
    const columns = "chain_id, address, name, symbol, first_block_number";
    const others = "SELECT $1::bigint, decode(lpad(to_hex(n), 40, '0'), 'hex')";
    const rows = `INSERT INTO erc20_tokens (${columns}) ${others}, name, '', n FROM unnest($2::text[]) WITH ORDINALITY AS t(name, n)`;
    await database.pool.query(rows, [CHAIN, NAMES]);
    const many = `INSERT INTO erc20_tokens (${columns}) ${others}, 'other ' || n, '', n FROM generate_series(100, 2000) n`;
    await database.pool.query(many, [CHAIN]);
    const store = createSearchStore(database, SEARCH_CONFIG);
    const find = async (text: string) => {
      const { rows: found } = await database.pool.query<{ name: string }>(TOKENS, [CHAIN, text, 100]);
      return found.map(({ name }) => name).toSorted();
    };
    for (const [text, names] of FOUND) expect([text, await find(text)]).toEqual([text, [...names].toSorted()]);
    expect((await store.search("LiNk", 10, SERVICE_WORK)).results).toHaveLength(2);
    await database.pool.query("ANALYZE erc20_tokens");
    const scans = await scansOf(database.pool, TOKENS, [CHAIN, "link", 100]);
    expect(scans.every(({ kind, removed }) => /Index/.test(kind) && removed === 0)).toBe(true);
  });
});
