import { readdirSync, readFileSync } from "node:fs";
import { parse } from "@babel/parser";
import { createTestDatabase } from "./support/database/database.ts";

const FOLDERS = ["core", "exporter", "gateway", "indexer", "rest-compat", "signatures", "subgraphs"];

/** Statements that name their partition as a table, with the reason. */
const NAMED_PARTITIONS: ReadonlySet<string> = new Set(["indexer/evm/store/holdings/erc20-holders.ts"]);

const COLUMN = String.raw`(?<!\w)(?:\w+\.)?"?(?:chain_id|network_id|chainId|networkId)"?(?!\w)`;
/** A parameter, or a piece of SQL that another literal has. */
const PARAMETER = String.raw`(?:ANY \()?(?:\$\d|\$\{)`;
const BROKEN: Readonly<Record<string, RegExp>> = {
  "compares a partition column with another value than a parameter": new RegExp(
    `${COLUMN} (?:=|<>|IN) (?!${PARAMETER})`,
  ),
  "compares another value with a partition column": new RegExp(String.raw`(?<!\$\d) = ${COLUMN}`),
  "joins by a partition column": /USING \([^)]*\b(?:chain_id|network_id)\b/,
  "compares rows with a partition column": /\([^()]*\b(?:chain_id|network_id)\b[^()]*\) (?:=|IN) /,
  "takes a partition column from a list":
    /unnest\([^()]*(?:\([^()]*\)[^()]*)*\)(?: WITH ORDINALITY)?(?: AS)? \w+ ?\([^)]*\b(?:chain_id|network_id)\b/,
  "has a natural join": /NATURAL (?:LEFT |FULL |RIGHT |INNER )?JOIN/,
};

/** The rules that a piece of SQL breaks. */
const brokenBy = (sql: string): string[] => Object.keys(BROKEN).filter((rule) => BROKEN[rule]?.test(sql));

/** The product's sources that contain a text. */
function sourcesThatName(text: RegExp): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
      .map((path) => `${folder}/${path}`),
  ).filter((path) => text.test(readFileSync(path, "utf8")));
}

/** The texts of all string and template literals of a file that may be SQL. */
function literalsOf(path: string): string[] {
  const text = readFileSync(path, "utf8");
  const { program } = parse(text, { sourceType: "module", plugins: ["typescript", "decorators-legacy"] });
  return literalsIn(program).map(({ start, end }) => text.slice(start, end).replace(/\s+/g, " "));
}

interface Literal {
  readonly start: number;
  readonly end: number;
}

/** The string and template literals in a part of a syntax tree, also those within others. */
function literalsIn(part: unknown): Literal[] {
  if (typeof part !== "object" || part === null) return [];
  const { type } = part as { readonly type?: unknown };
  const inner = Object.values(part).flatMap(literalsIn);
  return type === "StringLiteral" || type === "TemplateLiteral" ? [part as Literal, ...inner] : inner;
}

describe("a statement that reads a partitioned table", () => {
  it("names its chain or network by a parameter", async () => {
    await using database = await createTestDatabase();
    const { rows } = await database.pool.query<{ name: string; kind: string }>(
      "SELECT relname AS name, relkind AS kind FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace",
    );
    const namesTable = (sql: string, kind: string) =>
      rows.some((table) => table.kind === kind && new RegExp(`\\b${table.name}\\b`).test(sql));
    const paths = sourcesThatName(/\b(?:chain_id|network_id)\b|NATURAL/).filter((path) => !NAMED_PARTITIONS.has(path));
    expect(paths.length).toBeGreaterThan(100);
    const broken = paths.flatMap((path) =>
      literalsOf(path)
        // Tables without partitions have few rows for each chain, and are read for all chains together.
        .filter((sql) => namesTable(sql, "p") || !namesTable(sql, "r"))
        .flatMap((sql) => brokenBy(sql).map((rule) => `${path} ${rule}: ${sql.slice(0, 200)}`)),
    );
    expect(broken).toEqual([]);
  });

  it.each([
    "SELECT FROM evm_logs t, k WHERE t.chain_id = k.chain_id",
    "SELECT FROM evm_logs t, k WHERE t.chain_id = k.c",
    "SELECT FROM evm_logs t, k WHERE k.c = t.chain_id",
    "SELECT FROM evm_logs JOIN evm_transactions USING (block_number, chain_id)",
    "SELECT FROM evm_logs NATURAL JOIN evm_transactions",
    "SELECT FROM evm_logs WHERE chain_id IN (SELECT chain_id FROM chain_heads)",
    "SELECT FROM evm_logs WHERE (chain_id, block_number) IN (SELECT * FROM k)",
    "SELECT FROM unnest($1::bigint[], $2::int[]) WITH ORDINALITY AS k(chain_id, n), evm_logs",
    'SELECT FROM list, evm_logs t WHERE t.chain_id = list."chainId"',
  ])("is found if it does not: %s", (sql) => {
    expect(brokenBy(sql)).not.toEqual([]);
  });

  it.each([
    "SELECT FROM evm_logs t WHERE t.chain_id = $1 AND block_number = 7",
    "SELECT FROM evm_logs WHERE chain_id = ANY ($1::bigint[])",
    "SELECT FROM unnest($2::int[]) WITH ORDINALITY AS k(block_number, request), evm_logs WHERE chain_id = $1",
  ])("is accepted if it does: %s", (sql) => {
    expect(brokenBy(sql)).toEqual([]);
  });
});
