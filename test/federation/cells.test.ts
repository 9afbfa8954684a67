import type { Api } from "../conformance/api.ts";
import { type AlphaCells, C_CHAIN, indexedAlphaCells, L1 } from "../support/indexed/alpha-cells.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { answersOf, ROUTE_REQUESTS, serveAtFixedTime } from "../upgrade/same-answers.ts";

let plain: Api;
let cells: AlphaCells;
let served: Api;

beforeAll(async () => {
  const indexed = await indexedAlphaNetwork();
  cells = await indexedAlphaCells(indexed.config);
  plain = await serveAtFixedTime(indexed);
  served = await serveAtFixedTime(cells);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await plain[Symbol.asyncDispose]();
});

describe("chains in databases of their own", () => {
  it("leave nothing of a chain in the main database or in the database of another chain", async () => {
    const chains = "SELECT chain_id FROM chain_heads ORDER BY 1";
    const idsIn = async ({ pool }: Pick<AlphaCells, "pool">) =>
      (await pool.query<{ chain_id: string }>(chains)).rows.map(({ chain_id }) => Number(chain_id));
    expect(await Promise.all([cells, cells.ofNetwork, cells.ofL1].map(idsIn))).toEqual([[], [C_CHAIN], [L1]]);
  });

  it.each(ROUTE_REQUESTS)("answer $id as one database with all chains", async (route) => {
    const answers = await answersOf(served, route);
    expect(answers).toEqual(await answersOf(plain, route));
    expect(answers[0]).toMatch(/^200 /);
  });
});
