import "reflect-metadata";
import { formatNodeId } from "../../../core/formats/id-text.ts";
import type { TestDatabase } from "../../../test/support/database/database.ts";
import { scansOf, scansOfGenericPlan } from "../../../test/support/database/plans.ts";
import {
  addressOf,
  bytesOf,
  createSearchDatabase,
  SEARCH_CHAINS,
  SEARCH_NETWORKS,
} from "../../../test/support/indexed/search-tables.ts";
import { KINDS } from "./kinds.ts";
import { parseText } from "./parse-text.ts";

const LIMIT = 11;
/** The number of a row, and that of a row which does not exist. */
const NUMBERS = [7, 99_999];

const TEXTS = NUMBERS.flatMap((n) => [
  ...[String(n), `Token ${n}`, "sym", "zzz"],
  ...[bytesOf(n, 32), bytesOf(n, 20), formatNodeId(bytesOf(n, 20)), addressOf(n)],
]).map(parseText);

let database: TestDatabase;
beforeAll(async () => {
  database = await createSearchDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

describe("the statement that finds", () => {
  it.each(KINDS.map((kind, index) => [kind.kind, index, kind] as const))(
    "%s (%i) reads only rows of the result, by index",
    async (_kind, _index, { scope, sql, values }) => {
      const ids = scope === "evm" ? SEARCH_CHAINS : SEARCH_NETWORKS;
      const asked = TEXTS.flatMap((text) => {
        const others = values(text, LIMIT);
        return others ? ids.map((id) => [id, ...others]) : [];
      });
      expect(asked.length).toBeGreaterThan(1);
      for (const params of asked) {
        const custom = await scansOf(database.pool, sql, params);
        const generic = await scansOfGenericPlan(database.pool, sql, params);
        const scans = [...custom, ...generic].filter(({ table }) => table !== "primary_networks");
        expect(scans.map(({ kind }) => kind)).not.toContain("Seq Scan");
        for (const { rows, removed } of scans) expect(rows + removed).toBeLessThanOrEqual(LIMIT);
      }
    },
  );
});
