import pg from "pg";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { createLogger } from "../../observability/logger.ts";
import { SERVICE_WORK } from "../../work/work.ts";
import { openPool } from "../database.ts";
import { openDatabase } from "../open-database.ts";
import { createPool, openSession } from "./connect.ts";

/** Settings that an operator can give a role, a database or a URL, with another value than the one that Moraine needs. */
const OTHERS: Readonly<Record<string, string>> = {
  bytea_output: "escape",
  standard_conforming_strings: "off",
  escape_string_warning: "off",
  array_nulls: "off",
  DateStyle: "SQL, DMY",
  IntervalStyle: "sql_standard",
  TimeZone: "America/St_Johns",
  extra_float_digits: "-15",
  transform_null_equals: "on",
  quote_all_identifiers: "on",
  gin_fuzzy_search_limit: "1",
  default_transaction_isolation: "serializable",
  default_transaction_deferrable: "on",
  statement_timeout: "150",
  lock_timeout: "150",
  idle_in_transaction_session_timeout: "150",
  idle_session_timeout: "150",
  client_encoding: "LATIN1",
  search_path: "elsewhere",
};

/** A statement whose answer each of these settings changes, and that takes longer than their time limits. */
const STATEMENT = String.raw`SELECT decode('c0ffee', 'hex') AS bytes, '\n' AS backslash, '{NULL}'::text[] AS list,
  timestamptz '2026-07-04T12:00Z' AS time, interval '1 year 2 days' AS span, 0.1::float8 + 0.2 AS float, NULL = (SELECT NULL) AS unknown,
  quote_ident('a') AS name, 'ı€' AS text, current_setting('transaction_isolation') AS isolation, to_regclass('evm_blocks') AS "table",
  current_setting('gin_fuzzy_search_limit') AS fuzzy, current_setting('transaction_deferrable') AS deferrable,
  current_setting('lock_timeout') AS lock, current_setting('idle_session_timeout') AS session,
  current_setting('idle_in_transaction_session_timeout') AS idle, pg_sleep(0.2)::text AS slept`;
const AS_TEXT = { getTypeParser: () => (text: unknown) => text } as unknown as pg.CustomTypesConfig;

const ANSWER = {
  bytes: String.raw`\xc0ffee`,
  backslash: String.raw`\n`,
  list: "{NULL}",
  time: "2026-07-04 12:00:00+00",
  span: "1 year 2 days",
  float: "0.30000000000000004",
  unknown: null,
  name: "a",
  text: "ı€",
  isolation: "read committed",
  table: "evm_blocks",
  fuzzy: "0",
  deferrable: "off",
  lock: "0",
  session: "0",
  idle: "0",
  slept: "",
};

const logger = createLogger("silent");

/** The ways in which processes open sessions. */
const OPENERS: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  async "a session"(url) {
    const session = await openSession(url);
    const { rows } = await session.query({ text: STATEMENT, types: AS_TEXT });
    await session.end();
    return rows[0];
  },
  async "a pool"(url) {
    const pool = createPool(url, { max: 1 });
    const { rows } = await pool.query({ text: STATEMENT, types: AS_TEXT });
    await pool.end();
    return rows[0];
  },
  async "the pool of the API"(url) {
    await using opened = openPool(url, 1, logger);
    return (await opened.pool.query({ text: STATEMENT, types: AS_TEXT })).rows[0];
  },
};

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

describe.each(Object.keys(OPENERS))("%s has the settings that Moraine needs, whatever", (opener) => {
  const read = (url: string) => OPENERS[opener]?.(url);

  it("the URL says", async () => {
    const options = Object.entries(OTHERS).map(([name, value]) => `-c ${name}=${value.replaceAll(" ", "\\ ")}`);
    const url = `${database.url}?options=${encodeURIComponent(options.join(" "))}&statement_timeout=1&query_timeout=1`;
    expect(await read(url)).toEqual(ANSWER);
  });

  it("the database says", async () => {
    const name = new URL(database.url).pathname.slice(1);
    const change = (text: (setting: string) => string) =>
      database.pool.query(
        Object.keys(OTHERS)
          .map((setting) => `ALTER DATABASE ${name} ${text(setting)}`)
          .join("; "),
      );
    await change(
      (setting) => `SET ${setting} = ${pg.escapeLiteral(OTHERS[setting] as string).replace("SQL, DMY", "SQL','DMY")}`,
    );
    try {
      expect(await read(database.url)).toEqual(ANSWER);
    } finally {
      await change((setting) => `RESET ${setting}`);
    }
  });
});

it("the settings change the answer of a session that another program opens", async () => {
  const options = Object.entries(OTHERS)
    .filter(([name]) => !/timeout|client_encoding/.test(name))
    .map(([name, value]) => `-c ${name}=${value.replaceAll(" ", "\\ ")}`);
  const client = new pg.Client({ connectionString: database.url, options: options.join(" ") });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>({ text: STATEMENT, types: AS_TEXT });
  await client.end();
  const unchanged = Object.entries(ANSWER).filter(([name, value]) => rows[0]?.[name] === value);
  expect(unchanged.map(([name]) => name)).toEqual(["text", "lock", "session", "idle", "slept"]);
});

it("Prisma uses the schema of the URL", async () => {
  await using opened = openDatabase(`${database.url}?options=-c%20search_path%3Delsewhere`, 1, logger);
  expect(await opened.evm.prisma(({ evmBlock }) => evmBlock.count(), SERVICE_WORK, "1")).toBe(0);
});
