import { formatAddress } from "../../../core/formats/bech32.ts";
import { sampled } from "../../../test/support/full.ts";
import { type OpenedPrimary, openPrimary } from "../../../test/support/indexed/primary-snapshots.ts";
import { retimeVertices } from "../../../test/support/indexed/retime-vertices.ts";
import { recordingFolder } from "../../../test/support/recorded/primary-vectors.ts";
import { UNTRUE_TIMES } from "../../../test/support/recorded/retimed-vertices.ts";

/** Seconds after the genesis: within the vertices, at block 0 of the X-Chain, and after it. */
const MOMENTS = sampled([12, 15, 30, 60, 107, 172, 190, 240, 319], 4).concat(320, 400);
const RANGES = [
  [0, 172],
  [20, 190],
  [107, 320],
  [321, 500],
] as const;
const REFUSAL = /cannot be answered exactly: vertex \w+ has a transaction of these addresses, and was accepted between/;

let opened: OpenedPrimary;
let addresses: readonly string[];
let truth: ReadonlyMap<string, string>;
beforeAll(async () => {
  opened = await openPrimary(recordingFolder("delta"));
  const { rows } = await opened.database.pool.query<{ address: Buffer }>(
    `SELECT DISTINCT a.address FROM primary_address_transactions a JOIN primary_transactions t USING (network_id, chain, tx_seq)
     WHERE chain = 'X' AND t.vertex_index IS NOT NULL ORDER BY 1`,
  );
  const prefix = opened.recording.network.hrp;
  addresses = rows.map(({ address }) => formatAddress({ chain: null, prefix, address: address.toString("hex") }));
  truth = await answers();
});
afterAll(() => opened[Symbol.asyncDispose]());

const at = (seconds: number) => opened.recording.network.genesis.timestamp + seconds;
const OUTPUTS = "{ assetId amount utxoCount }";

/** Answers, or the text of the refusal, by question: each address at each moment on each chain, and its transactions in each range. */
async function answers(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const ask = async (name: string, query: string) => {
    const answer = await opened.ask(query).catch((error: Error) => error.message);
    found.set(name, typeof answer === "string" ? answer : JSON.stringify(answer));
  };
  for (const address of addresses) {
    for (const seconds of MOMENTS)
      for (const chain of ["p-chain", "x-chain"])
        await ask(
          `balances of ${address} on ${chain} at ${seconds}`,
          `{ primaryNetworkBalances(network: FUJI, blockchainId: "${chain}", addresses: ["${address}"], blockTimestamp: ${at(seconds)}) {
            balances { ... on OutputBalances { unlockedUnstaked ${OUTPUTS} lockedPlatform ${OUTPUTS} }
              ... on AtomicMemory { atomicMemoryUnlocked ${OUTPUTS} } }
            importable { unlocked ${OUTPUTS} } } }`,
        );
    for (const [start, end] of RANGES)
      await ask(
        `transactions of ${address} from ${start} to ${end}`,
        `{ primaryNetworkTransactions(network: FUJI, blockchainId: "x-chain", first: 100, filter: { addresses: ["${address}"], fromTime: ${at(start)}, toTime: ${at(end)} }) { transactions: nodes { txHash } } }`,
      );
  }
  return found;
}

describe("questions about the times of vertices", () => {
  it("E8 and filters by time are answered at all times if the node followed the chain", () => {
    expect(addresses.length).toBeGreaterThanOrEqual(14);
    expect([...truth.values()].filter((answer) => !answer.startsWith("{"))).toEqual([]);
  });

  it.each(sampled(UNTRUE_TIMES, 4))(
    "E8 and filters by time are right or refused for each address if the node %s",
    async (_, accepted) => {
      await retimeVertices(opened.database, opened.recording, accepted);
      const now = await answers();
      const wrong = [...now].filter(([name, answer]) => answer !== truth.get(name) && !REFUSAL.test(answer));
      expect(wrong).toEqual([]);
      const refused = [...now.values()].filter((answer) => REFUSAL.test(answer));
      expect(refused.length).toBeGreaterThan(0);
      // From the time of block 0 on, all is exact.
      const late = [...now].filter(([name]) => / at (320|400)$| 321 to 500$/.test(name));
      expect(late.filter(([, answer]) => REFUSAL.test(answer))).toEqual([]);
    },
  );

  it("are marked in the graph, and counted in the state of the chain", async () => {
    await retimeVertices(opened.database, opened.recording, (time) => time + 86_400);
    const { primaryNetworks, xChainVertices } = await opened.ask<Answer>(`{
      primaryNetworks { chains { chainName estimatedVertexCount } }
      xChainVertices(network: FUJI, blockchainId: "x-chain", first: 100) { vertices: nodes {
        vertexTimestamp isTimestampEstimated earliestTimestamp
        transactions { blockTimestamp isBlockTimestampEstimated } } } }`);
    const estimated = xChainVertices.vertices.filter(({ isTimestampEstimated }) => isTimestampEstimated);
    expect(estimated.length).toBeGreaterThan(90);
    for (const vertex of xChainVertices.vertices) {
      const { vertexTimestamp, isTimestampEstimated, earliestTimestamp, transactions } = vertex;
      expect(isTimestampEstimated).toBe(earliestTimestamp < vertexTimestamp);
      for (const tx of transactions)
        expect(tx).toEqual({ blockTimestamp: vertexTimestamp, isBlockTimestampEstimated: isTimestampEstimated });
    }
    const [{ chains = [] } = {}] = primaryNetworks;
    expect(chains.map(({ chainName, estimatedVertexCount }) => [chainName, Number(estimatedVertexCount) > 90])).toEqual(
      [
        ["p-chain", false],
        ["x-chain", true],
        ["c-chain", false],
      ],
    );
  });

  it("are refused with the reason while the times are provisional", async () => {
    await opened.database.pool.query("DELETE FROM x_chain_vertex_times");
    const [name, address] = ["x-chain", addresses[0]];
    const query = `{ primaryNetworkBalances(network: FUJI, blockchainId: "${name}", addresses: ["${address}"], blockTimestamp: ${at(400)}) {
      balances { ... on OutputBalances { unlockedUnstaked { amount } } } } }`;
    expect(await opened.refusals(query)).toEqual([
      expect.stringMatching(/^UNAVAILABLE the times of the X-Chain's vertices are not determined yet/),
    ]);
  });
});

interface Answer {
  readonly primaryNetworks: readonly {
    readonly chains: readonly { readonly chainName: string; readonly estimatedVertexCount: string | null }[];
  }[];
  readonly xChainVertices: {
    readonly vertices: readonly {
      readonly vertexTimestamp: number;
      readonly isTimestampEstimated: boolean;
      readonly earliestTimestamp: number;
      readonly transactions: readonly {
        readonly blockTimestamp: number;
        readonly isBlockTimestampEstimated: boolean;
      }[];
    }[];
  };
}
