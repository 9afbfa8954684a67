import { formatId } from "../../../core/formats/id-text.ts";
import { type OpenedPrimary, openPrimary } from "../../../test/support/indexed/primary-snapshots.ts";
import { ROOT, walkList } from "../../../test/support/lists/walk-query.ts";
import { loadOfficialLibrary } from "../../../test/support/oracle/official-library.ts";
import {
  type OracleOutput,
  type PrimaryOracle,
  readPrimaryOracle,
} from "../../../test/support/oracle/primary-oracle.ts";
import { describeAllRecordings } from "../../../test/support/recorded/primary-vectors.ts";

const CHAINS = ["P", "X", "C"] as const;
type Chain = (typeof CHAINS)[number];

/** An output of the recorded transactions, with the chain that can consume it. */
interface Placed extends OracleOutput {
  readonly chain: Chain;
  readonly isSpent: boolean;
}

describeAllRecordings(
  "outputs of an address",
  (folder) => {
    let opened: OpenedPrimary;
    let oracle: PrimaryOracle;
    let outputs: Placed[];
    beforeAll(async () => {
      oracle = readPrimaryOracle(folder, await loadOfficialLibrary());
      opened = await openPrimary(folder);
      const all = CHAINS.flatMap((chain) => oracle[chain]);
      const consumed = new Set(all.flatMap((transaction) => transaction.consumed));
      const chainOf = new Map(chainIds());
      const placed = all.flatMap((transaction) =>
        transaction.emitted.map((output): Placed => {
          const destination = chainOf.get(String(transaction.json["destinationChain"]));
          const chain = output.role === "exported" && destination ? destination : transaction.chain;
          return { ...output, chain, isSpent: consumed.has(output.utxoId) };
        }),
      );
      // Rewards are with the staking transaction and with the one that paid them.
      outputs = [...new Map(placed.map((output) => [output.utxoId, output])).values()];
    });
    afterAll(() => opened[Symbol.asyncDispose]());

    const chainIds = (): [string, Chain][] => {
      const { xChainId, cChainId } = opened.recording.network;
      return [
        ["11111111111111111111111111111111LpoYY", "P"],
        [formatId(xChainId), "X"],
        [formatId(cChainId), "C"],
      ];
    };

    const list = async (address: string, filter: string, pageSize: number) => {
      const nodes = await walkList({
        ask: opened.ask,
        place: ROOT,
        field: "primaryNetworkUtxos",
        args: `network: FUJI, address: "${address}", filter: { ${filter} },`,
        selection: "utxoId blockTimestamp blockNumber transaction { txHash } consumingTxHash addresses",
        size: pageSize,
      });
      return nodes as Readonly<Record<string, string | object | null>>[];
    };

    it("are those of the recorded transactions by chain and state, newest first, also those that it shares", async () => {
      const owners = new Map<string, Placed[]>();
      for (const output of outputs)
        for (const address of output.addresses) owners.set(address, [...(owners.get(address) ?? []), output]);
      const shared = [...owners]
        .filter(([, some]) => some.some(({ addresses }) => addresses.length > 1))
        .map(([address]) => address);
      const busiest = [...owners].sort(([, one], [, other]) => other.length - one.length).map(([address]) => address);
      let compared = 0;
      for (const address of new Set([...shared.slice(0, 3), ...busiest.slice(0, 3)])) {
        const owned = owners.get(address) ?? [];
        for (const state of [null, true, false])
          for (const chain of [null, ...CHAINS]) {
            const filter = [
              state === null ? "" : `state: ${state ? "SPENT" : "UNSPENT"}`,
              chain ? `blockchainIds: ["${chain.toLowerCase()}-chain"]` : "",
            ];
            const found = await list(address, filter.join(" "), 30);
            const times = found.map(({ blockTimestamp }) => Number(blockTimestamp));
            expect(times).toEqual(times.toSorted((one, other) => other - one));
            const expected = owned.filter(
              (one) => (state === null || one.isSpent === state) && (chain === null || one.chain === chain),
            );
            // Outputs of the genesis have no transaction.
            const ofTransactions = found
              .filter(({ transaction }) => transaction !== null)
              .map(({ utxoId }) => utxoId as string);
            expect(ofTransactions.sort()).toEqual(expected.map(({ utxoId }) => utxoId).sort());
            compared += expected.length;
          }
      }
      expect(shared.length).toBeGreaterThan(0);
      expect(compared).toBeGreaterThan(50);
    });

    it("fail for an address of another network and for an unknown chain", async () => {
      const ask = (more: string) =>
        opened.refusals(`{ primaryNetworkUtxos(network: FUJI, ${more}) { nodes { utxoId } } }`);
      const address = outputs.find(({ addresses }) => addresses.length > 0)?.addresses[0];
      expect(await ask('address: "avax1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqlkfxhk"')).toEqual([
        expect.stringContaining("address must be"),
      ]);
      expect(await ask(`address: "${address}", filter: { blockchainIds: ["q-chain"] }`)).toEqual([
        expect.stringContaining("q-chain"),
      ]);
    });
  },
  { inShortForm: 2 },
);
