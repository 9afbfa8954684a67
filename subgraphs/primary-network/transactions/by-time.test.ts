import { type OpenedPrimary, openPrimary } from "../../../test/support/indexed/primary-snapshots.ts";
import { ROOT, walkList } from "../../../test/support/lists/walk-query.ts";
import { loadOfficialLibrary } from "../../../test/support/oracle/official-library.ts";
import { type PrimaryOracle, readPrimaryOracle } from "../../../test/support/oracle/primary-oracle.ts";
import { describeAllRecordings } from "../../../test/support/recorded/primary-vectors.ts";

const CHAINS = ["P", "X", "C"] as const;
/** Name of a type in the graph. */
const apiType = (txType: string): string => txType.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, "_").toUpperCase();

describeAllRecordings(
  "transactions of a chain by type and time",
  (folder) => {
    let opened: OpenedPrimary;
    let oracle: PrimaryOracle;
    beforeAll(async () => {
      oracle = readPrimaryOracle(folder, await loadOfficialLibrary());
      opened = await openPrimary(folder);
    });
    afterAll(() => opened[Symbol.asyncDispose]());

    const list = async (chain: string, filter: string, direction: string) => {
      const nodes = await walkList({
        ask: opened.ask,
        place: ROOT,
        field: "primaryNetworkTransactions",
        args: `network: FUJI, blockchainId: "${chain.toLowerCase()}-chain", filter: { ${filter} }, orderBy: { direction: ${direction} },`,
        selection: "txHash blockTimestamp",
        size: 40,
      });
      return nodes as { readonly txHash: string; readonly blockTimestamp: string }[];
    };
    const hashes = (found: readonly { readonly txHash: string }[]) => found.map(({ txHash }) => txHash);

    it.each(CHAINS)("of the %s-Chain are those of the node for each type and for several", async (chain) => {
      const types = [...new Set(oracle[chain].map(({ txType }) => apiType(txType)))];
      const wanted = [...types.map((type) => [type]), types.slice(0, 2), types];
      for (const some of wanted) {
        const expected = hashes(oracle[chain].filter(({ txType }) => some.includes(apiType(txType))));
        const found = await list(chain, `types: [${some}]`, "ASC");
        const times = found.map(({ blockTimestamp }) => Number(blockTimestamp));
        expect(times).toEqual(times.toSorted((one, other) => one - other));
        // Only vertices of the X-Chain may have another order in the chain.
        if (chain === "X") expect(hashes(found).sort()).toEqual(expected.sort());
        else expect(hashes(found)).toEqual(expected);
      }
    });

    it("of the P-Chain are those of the node between two times, with and without a type", async () => {
      const timed = oracle.P.filter(({ blockTimestamp }) => blockTimestamp !== null);
      const times = [...new Set(timed.map(({ blockTimestamp }) => blockTimestamp as number))];
      const [from, to] = [times.at(Math.floor(times.length / 4)) ?? 0, times.at(Math.floor(times.length / 2)) ?? 0];
      const between = timed.filter(
        ({ blockTimestamp }) => Number(blockTimestamp) >= from && Number(blockTimestamp) < to,
      );
      const range = `fromTime: ${from}, toTime: ${to}`;
      expect(hashes(await list("P", range, "DESC"))).toEqual(hashes(between).reverse());
      for (const type of new Set(between.map(({ txType }) => txType))) {
        const expected = hashes(between.filter(({ txType }) => apiType(txType) === apiType(type)));
        expect(hashes(await list("P", `types: ${apiType(type)}, ${range}`, "ASC"))).toEqual(expected);
      }
      expect(await list("P", `fromTime: ${to}, toTime: ${from}`, "DESC")).toEqual([]);
    });

    it("are counted exactly for a whole chain, also those in several blocks", async () => {
      const count = async (chain: string) =>
        (
          await opened.ask<{ list: { totalCount: object } }>(
            `{ list: primaryNetworkTransactions(network: FUJI, blockchainId: "${chain.toLowerCase()}-chain", first: 1) { totalCount { count isExact } } }`,
          )
        ).list.totalCount;
      for (const chain of CHAINS)
        expect(await count(chain)).toEqual({ count: String(oracle[chain].length), isExact: true });
    });
  },
  { inShortForm: 2 },
);
