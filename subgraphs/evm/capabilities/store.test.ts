import { C_CHAIN, L1, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";

let opened: OpenedEvm;
beforeAll(async () => {
  opened = await openEvm();
});
afterAll(() => opened[Symbol.asyncDispose]());

const FIELDS = "capabilities { capability isOn reason missingBlocks }";

async function capabilities(): Promise<unknown> {
  const { data } = await opened.ask(`{ chains { chains { chainId ${FIELDS} } } }`);
  return data?.["chains"];
}

const traces = (missingBlocks: string, reason: string | null = null) => ({
  capability: "TRACES",
  isOn: true,
  reason,
  missingBlocks,
});
/** Tests make no requests to other hosts. */
const metadata = {
  capability: "NFT_METADATA",
  isOn: true,
  reason: "nftMetadata.remote is off: only metadata in data: URIs is read",
  missingBlocks: "0",
};

describe("the store of capabilities", () => {
  it("returns the capabilities of a chain, and the number of blocks without their data", async () => {
    const both = [metadata, traces("0")];
    expect(await capabilities()).toEqual({
      chains: [C_CHAIN, L1].map((chainId) => ({ chainId, capabilities: both })),
    });
    const { pool } = opened.database;
    await pool.query(`INSERT INTO untraced_ranges VALUES (${C_CHAIN}, 3, 9), (${C_CHAIN}, 100, 120)`);
    await pool.query(`UPDATE chain_capabilities SET is_on = false, reason = 'why' WHERE chain_id = ${L1}`);
    const off = { isOn: false, reason: "why", missingBlocks: "0" };
    expect(await capabilities()).toEqual({
      chains: [
        { chainId: C_CHAIN, capabilities: [metadata, traces("28")] },
        {
          chainId: L1,
          capabilities: [
            { capability: "NFT_METADATA", ...off },
            { capability: "TRACES", ...off },
          ],
        },
      ],
    });
  });

  it("returns the reason why the node refused traces while blocks are not traced", async () => {
    const { pool } = opened.database;
    const ofTraces = async () => {
      const { chains } = (await capabilities()) as { chains: { capabilities: { capability: string }[] }[] };
      return chains[0]?.capabilities.find(({ capability }) => capability === "TRACES");
    };
    await pool.query(
      `UPDATE chain_capabilities SET reason = 'pruned' WHERE chain_id = ${C_CHAIN} AND capability = 'traces'`,
    );
    expect(await ofTraces()).toEqual(traces("28", "pruned"));
    await pool.query(`DELETE FROM untraced_ranges WHERE chain_id = ${C_CHAIN}`);
    expect(await ofTraces()).toEqual(traces("0"));
  });

  it("returns an empty list for a chain that the indexer has not checked", async () => {
    await opened.database.pool.query(`DELETE FROM chain_capabilities WHERE chain_id = ${L1}`);
    expect(await capabilities()).toMatchObject({ chains: [{ chainId: C_CHAIN }, { chainId: L1, capabilities: [] }] });
  });

  it("runs one statement for all chains", async () => {
    expect(await statementsOf(capabilities)).toHaveLength(2);
  });
});
