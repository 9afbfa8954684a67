import pg from "pg";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { openDriverPool } from "../../test/support/database/driver-pool.ts";
import { createRandomIntegers } from "../../test/support/random.ts";
import { createLogger } from "../observability/logger.ts";
import { SERVICE_WORK } from "../work/work.ts";
import { prepared, runTogether } from "./database.ts";
import { openDatabase } from "./open-database.ts";
import { createRowReader } from "./rows.ts";

type Texts = readonly (string | null)[];

function message(code: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5, code);
  head.writeUInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

/** The texts of each row, whose messages follow one another. */
function rowsIn(bytes: Buffer): (string | null)[][] {
  const rows: (string | null)[][] = [];
  for (let at = 0; at < bytes.length; ) {
    let column = at + 7;
    const texts = Array.from({ length: bytes.readInt16BE(at + 5) }, () => {
      const length = bytes.readInt32BE(column);
      const start = column + 4;
      column = start + Math.max(length, 0);
      return length < 0 ? null : bytes.toString("utf8", start, column);
    });
    rows.push(texts);
    at += 1 + bytes.readUInt32BE(at + 1);
  }
  return rows;
}

function row(texts: Texts): Buffer {
  const count = Buffer.alloc(2);
  count.writeInt16BE(texts.length);
  const columns = texts.flatMap((text) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(text === null ? -1 : Buffer.byteLength(text));
    return [length, Buffer.from(text ?? "")];
  });
  return message("D", Buffer.concat([count, ...columns]));
}

const ROWS: readonly Texts[] = [
  ["1", null, "", "\\x00ff"],
  ["é", "中", "a\u0080b", "😀"],
  ["x".repeat(5_000), "y"],
  [],
  [null],
];

describe("the reader of rows", () => {
  it("passes on rows and other messages in their order, however the bytes are split", () => {
    const random = createRandomIntegers(3);
    const messages = ROWS.flatMap((texts, at) => [message("Z", Buffer.from([at])), row(texts), row(texts)]);
    const bytes = Buffer.concat([...messages, message("C", Buffer.from("SELECT"))]);
    for (let round = 0; round < 200; round++) {
      const found: unknown[] = [];
      const rest: Buffer[] = [];
      const read = createRowReader(
        (rows) => {
          for (const texts of rowsIn(rows)) found.push([Buffer.concat(rest).length, texts]);
        },
        (others) => rest.push(Buffer.from(others)),
      );
      for (let at = 0; at < bytes.length; ) {
        const length = 1 + (random() % (random() % 2 ? 7 : 6_000));
        read(bytes.subarray(at, at + length));
        at += length;
      }
      const expected = ROWS.flatMap((texts, at) => [
        [6 * (at + 1), texts],
        [6 * (at + 1), texts],
      ]);
      expect(found).toEqual(expected);
      const others = ROWS.map((_, at) => message("Z", Buffer.from([at])));
      expect(Buffer.concat(rest)).toEqual(Buffer.concat([...others, message("C", Buffer.from("SELECT"))]));
    }
  });

  it("passes on rows that arrive together in runs, so that a text of one row does not keep those of all others", () => {
    const rows = Array.from({ length: 100 }, (_, at) => row([String(at), "x".repeat(1_000)]));
    const runs: number[] = [];
    createRowReader(
      (found) => runs.push(rowsIn(found).length),
      () => {},
    )(Buffer.concat(rows));
    expect(runs).toEqual([17, 17, 17, 17, 17, 15]);
  });
});

it("the driver has the parts that are not declared and that reading rows needs", () => {
  const client = new pg.Client();
  expect(Reflect.get(client, "_getActiveQuery")).toBeInstanceOf(Function);
  expect(Reflect.get(client.connection, "attachListeners")).toBeInstanceOf(Function);
  expect(Reflect.get(pg, "utils")).toMatchObject({ prepareValue: expect.any(Function) });
});

describe("a prepared statement", () => {
  const TEXT = `SELECT n AS int, n + 9007199254740992 AS big, 'é中😀' || chr(128) AS text, NULL::text AS none,
    decode(repeat('0aff', $2::int), 'hex') AS bytes, n % 2 = 0 AS flag, n / 4.0::float8 AS float, ARRAY['ü', NULL] AS list,
    1e30::numeric AS numeric, jsonb_build_object('ñ', n) AS json FROM generate_series(1, $1::int) n`;

  const SERIES = "SELECT n, 'é' || n AS text FROM generate_series(1, $1::int) n";

  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it.each([0, 1, 50, 3_000])("has the %d rows of the driver", async (count) => {
    await using own = openDatabase(database.url, 1, createLogger("fatal"));
    await using plain = openDriverPool(database.url);
    const values = [count, 300];
    const rows = await prepared(own.pool, "rows", TEXT)(values, SERVICE_WORK);
    const { rows: expected } = await plain.query(TEXT, values);
    expect(rows).toEqual(
      expected.map((row) => ({
        ...row,
        bytes: `0x${row.bytes.toString("hex")}`,
        list: "{ü,NULL}",
        json: JSON.stringify(row.json).replace(":", ": "),
      })),
    );
    expect(rows).toHaveLength(count);
    if (count > 0)
      expect(rows[0]).toEqual({
        int: 1,
        big: "9007199254740993",
        text: "é中😀\u0080",
        none: null,
        bytes: `0x${"0aff".repeat(300)}`,
        flag: false,
        float: 0.25,
        list: "{ü,NULL}",
        numeric: `1${"0".repeat(30)}`,
        json: '{"ñ": 1}',
      });
  });

  it("leaves the rows of other statements on its connection to the driver", async () => {
    await using own = openDatabase(database.url, 1, createLogger("fatal"));
    await using plain = openDriverPool(database.url);
    const own50 = prepared(own.pool, "rows", TEXT)([50, 300], SERVICE_WORK);
    const { rows } = await own.pool.query(TEXT, [50, 300]);
    expect(rows).toEqual((await plain.query(TEXT, [50, 300])).rows);
    expect(await own50).toHaveLength(50);
  });

  it("has its columns on each connection, also if its first result there has no rows", async () => {
    await using own = openDatabase(database.url, 2, createLogger("fatal"));
    const run = prepared<{ n: number; text: string }>(own.pool, "series", SERIES);
    expect(await Promise.all([run([0], SERVICE_WORK), run([0], SERVICE_WORK)])).toEqual([[], []]);
    expect(own.pool.totalCount).toBe(2);
    const one = [{ n: 1, text: "é1" }];
    expect(
      await Promise.all([
        run([1], SERVICE_WORK),
        run([1], SERVICE_WORK),
        run([0], SERVICE_WORK),
        run([1], SERVICE_WORK),
      ]),
    ).toEqual([one, one, [], one]);
  });

  it.each([
    ["text", "text", "é😀\ud800\\\"'{}"],
    ["null", "text", null],
    ["an undefined value", "text", undefined],
    ["a number", "float8", -1.5],
    ["a bigint", "numeric", 10n ** 30n],
    ["true", "boolean", true],
    ["an empty list", "text[]", []],
    ["a list of texts", "text[]", ["", "a,b", '"\\{}', "NULL", "é😀", null]],
    ["a list of numbers", "int[]", [1, -2, null]],
    ["a list of lists", "int[]", [[1], [2]]],
    ["bytes", "bytea", Buffer.from([0, 255])],
    ["a time", "timestamptz", new Date(0)],
    ["a long text", "text", "é".repeat(100_000)],
    ["a text that just fits with its messages, or just not", "text", "x".repeat(21_820)],
  ])("sends %s as the driver does, when it is prepared and again", async (_, type, value) => {
    await using own = openDatabase(database.url, 1, createLogger("fatal"));
    const run = prepared(own.pool, "value", `SELECT $1::${type}::text AS value, $2::int AS next`);
    const { rows } = await own.pool.query(`SELECT $1::${type}::text AS value, $2::int AS next`, [value, 7]);
    expect([await run([value, 7], SERVICE_WORK), await run([value, 7], SERVICE_WORK)]).toEqual([rows, rows]);
    expect(rows).toEqual([{ value: value === null || value === undefined ? null : expect.any(String), next: 7 }]);
  });

  it("is not mistaken for another statement with the same name, or whose name has the same first 63 bytes", async () => {
    await using own = openDatabase(database.url, 1, createLogger("fatal"));
    const one = prepared(own.pool, "same", "SELECT 1 AS one");
    const two = prepared(own.pool, "same", "SELECT 2 AS two");
    const networkId =
      "SELECT id FROM (VALUES ('1'), ('5')) n(id) WHERE id::bigint = $1 AND (SELECT $1 = network_id FROM (SELECT $1::bigint) k(network_id) WHERE network_id = $1)";
    const long = prepared<{ id: string }>(own.pool, "n".repeat(62), networkId);
    for (const id of ["1", "5", "1"]) expect(await long([id], SERVICE_WORK)).toEqual([{ id }]);
    expect([await one([], SERVICE_WORK), await two([], SERVICE_WORK), await one([], SERVICE_WORK)]).toEqual([
      [{ one: 1 }],
      [{ two: 2 }],
      [{ one: 1 }],
    ]);
  });

  it("fails if its columns have changed", async () => {
    await using own = openDatabase(database.url, 1, createLogger("fatal"));
    await own.pool.query("CREATE TABLE changing AS SELECT 1 AS a");
    const run = prepared(own.pool, "changing", "SELECT * FROM changing");
    expect([await run([], SERVICE_WORK), await run([], SERVICE_WORK)]).toEqual([[{ a: 1 }], [{ a: 1 }]]);
    await own.pool.query("ALTER TABLE changing ALTER a TYPE text");
    await expect(run([], SERVICE_WORK)).rejects.toThrow("cached plan must not change result type");
  });

  it("can be used again after an error", async () => {
    await using own = openDatabase(database.url, 1, createLogger("fatal"));
    const divide = prepared<{ result: number }>(own.pool, "divide", "SELECT 1 / $1::int AS result");
    await expect(divide([0], SERVICE_WORK)).rejects.toThrow("division by zero");
    expect(await divide([1], SERVICE_WORK)).toEqual([{ result: 1 }]);
    await expect(prepared(own.pool, "wrong", "SELECT no_column")([], SERVICE_WORK)).rejects.toThrow("no_column");
    expect(await divide([-1], SERVICE_WORK)).toEqual([{ result: -1 }]);
  });

  it("that names a chain or network is prepared for each of them, and locks its partition alone in a plan for all values", async () => {
    await using own = openDatabase(database.url, 1, createLogger("fatal"));
    await own.pool.query("CREATE TABLE parted (chain_id bigint, n int) PARTITION BY LIST (chain_id)");
    const chains = [0, 1, 2, 3];
    for (const chain of chains)
      await own.pool.query(`CREATE TABLE parted_${chain} PARTITION OF parted FOR VALUES IN (${chain})`);
    await own.pool.query(
      "INSERT INTO parted SELECT chain, n FROM generate_series(0, 3) chain, generate_series(1, 5) n",
    );
    await own.pool.query("SET plan_cache_mode = force_generic_plan");
    const rowsOf = prepared<{ chain: string; n: number }>(
      own.pool,
      "parted",
      `SELECT $1 AS chain, n FROM parted WHERE chain_id = $1 AND n > $2 AND n < $3
        AND num_nulls($4::int, $5::int, $6::int, $7::int, $8::int, $9::int) = 6 AND $10::int[] = '{}' ORDER BY n`,
    );
    const locked = prepared<{ name: string }>(
      own.pool,
      "locked",
      "SELECT relation::regclass::text AS name FROM pg_locks WHERE relation::regclass::text LIKE 'parted%' ORDER BY 1",
    );
    for (const chain of [...chains, ...chains]) {
      const values = [BigInt(chain), 2, 5, null, null, null, null, null, null, []];
      const [rows, tables] = await runTogether([rowsOf.with(values), locked.with([])], SERVICE_WORK);
      expect(rows).toEqual([3, 4].map((n) => ({ chain: String(chain), n })));
      expect(tables.map(({ name }) => name)).toEqual(["parted", `parted_${chain}`]);
    }
  });

  it("is closed if 500 others of its connection were used after it, and prepared again", async () => {
    await using own = openDatabase(database.url, 1, createLogger("fatal"));
    const of = prepared<{ id: string }>(own.pool, "many", "SELECT c.id FROM (VALUES ($1::text)) c(id) WHERE $2 = ''");
    const chain = prepared<{ id: string }>(
      own.pool,
      "chain",
      "SELECT id FROM (SELECT n AS network_id, n::text AS id FROM generate_series(0::bigint, 700) n) c WHERE network_id = $1",
    );
    const countOf = async (name: string) =>
      (await own.pool.query("SELECT name FROM pg_prepared_statements WHERE name LIKE $1", [name])).rowCount;
    expect(await of(["first", ""], SERVICE_WORK)).toEqual([{ id: "first" }]);
    for (let n = 0; n < 600; n++) expect(await chain([n], SERVICE_WORK)).toEqual([{ id: String(n) }]);
    expect([await countOf("many-%"), await countOf("chain-%@%")]).toEqual([0, 501]);
    expect(await of(["again", ""], SERVICE_WORK)).toEqual([{ id: "again" }]);
    expect(await chain([0], SERVICE_WORK)).toEqual([{ id: "0" }]);
    expect([await countOf("many-%"), await countOf("chain-%@%")]).toEqual([1, 500]);
  });
});
