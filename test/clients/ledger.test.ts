import { BadRequestError, NotFoundError } from "@avalanche-sdk/chainkit/models/errors";
import { testConfig } from "../support/config.ts";
import { servedNetworks } from "../support/indexed/alpha-network.ts";
import { type ReplayedPrimary, replayPrimary } from "../support/indexed/replayed-primary.ts";
import { nodeBalances } from "../support/recorded/node-balances.ts";
import { nodeBlocks, nodeVertices } from "../support/recorded/node-blocks.ts";
import { readSnapshots } from "../support/recorded/primary-recording.ts";
import { describeRecordings } from "../support/recorded/primary-vectors.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { allItems, createOfficialClient } from "./official-client.ts";

const { primaryNetwork } = createOfficialClient().data;

const NOBODY = "NodeID-111111111111111111116DBWJs";
/** Unusual genesis data, which must not make the client refuse the page. */
const UNUSUAL_GENESES = [
  '{"config":{"chainId":"99"},"alloc":null,"gasLimit":8000000}',
  '{"config":{"chainId":99,"feeConfig":{"gasLimit":"0x7a1200"}},"baseFeePerGas":"0x3b9aca00","airdropAmount":"0x1"}',
  '{"config":null,"alloc":{"0x1":{"balance":12,"code":null}}}',
  "{}",
  "[1]",
  "not JSON",
  "",
];

describeRecordings(
  "the official client in the hosted dialect, for the ledger",
  (folder) => {
    const end = readSnapshots(folder).at(-1) as ReturnType<typeof readSnapshots>[number];
    const addresses = end.answers("platform.getStake").map(({ params }) => params["addresses"] as string[]);
    let database: ReplayedPrimary;
    let stack: Stack;
    let at: { readonly serverURL: string };
    beforeAll(async () => {
      database = await replayPrimary(folder);
      stack = await startStack({ database, config: { ...testConfig(), primaryNetworks: servedNetworks(folder) } });
      at = { serverURL: `${stack.url}/hosted` };
    });
    afterAll(async () => {
      await stack[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    });

    it("E7 lists every subnet once, with blockchains of any genesis", async () => {
      const { pool } = database;
      for (const [index, genesis] of UNUSUAL_GENESES.entries())
        await pool.query(
          `INSERT INTO blockchains SELECT network_id, decode(repeat($1, 32), 'hex'), 1000 + $2::int, subnet_id, 1, 1, subnet_id, 'odd',
           convert_to($3, 'UTF8'), NULL FROM subnets ORDER BY subnet_seq LIMIT 1`,
          [`e${index}`, index, genesis],
        );
      const count = 1 + Number((await pool.query("SELECT count(*) AS count FROM subnets")).rows[0].count);
      for (const pageSize of [2, 100]) {
        const subnets = await allItems(primaryNetwork.listSubnets({ pageSize }, at), ({ result }) => result.subnets);
        expect(new Set(subnets.map(({ subnetId }) => subnetId)).size).toBe(count);
        expect(subnets).toHaveLength(count);
        const unusual = subnets
          .flatMap(({ blockchains }) => blockchains)
          .filter(({ blockchainName }) => blockchainName === "odd");
        expect(unusual).toHaveLength(UNUSUAL_GENESES.length);
      }
      await pool.query("DELETE FROM blockchains WHERE name = 'odd'");
    });

    it("E8 returns balances of every address on every chain, in the form of the chain", async () => {
      const seconds = Math.floor(Date.now() / 1_000);
      const node = nodeBalances(end);
      for (const list of addresses) {
        const of = { addresses: list.join(",") };
        const [p, x, c] = await Promise.all(
          (["p-chain", "x-chain", "c-chain"] as const).map((blockchainId) =>
            primaryNetwork.balances.listByAddresses({ blockchainId, ...of }, at),
          ),
        );
        expect(p?.chainInfo.chainName).toBe("p-chain");
        expect(Object.keys(p?.balances ?? {})).toHaveLength(8);
        expect(Object.keys(x?.balances ?? {}).sort()).toEqual([
          "atomicMemoryLocked",
          "atomicMemoryUnlocked",
          "locked",
          "unlocked",
        ]);
        expect(Object.keys(c?.balances ?? {}).sort()).toEqual(["atomicMemoryLocked", "atomicMemoryUnlocked"]);
        if (list.length > 1 || !x || !("unlocked" in x.balances)) continue;
        const onX = list.map((address) => address.replace("P-", "X-"));
        const { free } = node.outputs("X", null, onX, seconds);
        expect(
          Object.fromEntries(
            x.balances.unlocked.map(({ assetId, amount, utxoCount }) => [assetId, [amount, utxoCount]]),
          ),
        ).toEqual(free);
      }
    });

    it("E8 returns balances at the network's latest block time, and refuses a later time and an unserved network", async () => {
      const [[address] = []] = addresses;
      const { pool } = database;
      const { rows } = await pool.query("SELECT max(block_timestamp) AS time FROM primary_heads");
      const balancesAt = (blockTimestamp: number) =>
        primaryNetwork.balances.listByAddresses(
          { blockchainId: "p-chain", addresses: address as string, blockTimestamp },
          at,
        );
      await expect(balancesAt(Number(rows[0].time))).resolves.toMatchObject({ chainInfo: { network: "fuji" } });
      await expect(balancesAt(Number(rows[0].time) + 1)).rejects.toBeInstanceOf(BadRequestError);
      const elsewhere = { network: "mainnet", blockchainId: "p-chain", addresses: address as string } as const;
      await expect(primaryNetwork.balances.listByAddresses(elsewhere, at)).rejects.toBeInstanceOf(NotFoundError);
    });

    it("E15 lists every block of every node on the P-Chain and the X-Chain", async () => {
      for (const [blockchainId, chain] of [
        ["p-chain", "P"],
        ["x-chain", "X"],
      ] as const) {
        const blocks = nodeBlocks(folder, chain);
        const proposers = new Set(blocks.flatMap(({ proposerDetails }) => proposerDetails?.proposerNodeId ?? []));
        expect(proposers.size).toBeGreaterThan(1);
        for (const nodeId of [...proposers, NOBODY]) {
          const found = await allItems(
            primaryNetwork.blocks.listByNodeId({ blockchainId, nodeId, pageSize: 50 }, at),
            ({ result }) => result.blocks,
          );
          const own = blocks.filter(({ proposerDetails }) => proposerDetails?.proposerNodeId === nodeId).reverse();
          expect(found).toMatchObject(own);
          expect(found).toHaveLength(own.length);
        }
      }
    });

    it("E15 lists blocks between two times", async () => {
      const [block] = nodeBlocks(folder, "X").slice(-1);
      const nodeId = block?.proposerDetails?.proposerNodeId as string;
      const startTimestamp = block?.blockTimestamp as number;
      const times = { startTimestamp, endTimestamp: startTimestamp + 1 };
      const found = await allItems(
        primaryNetwork.blocks.listByNodeId({ blockchainId: "x-chain", nodeId, ...times }, at),
        ({ result }) => result.blocks,
      );
      expect(found.map(({ blockHash }) => blockHash)).toContain(block?.blockHash);
    });

    it("E19 lists every vertex", async () => {
      const found = await allItems(
        primaryNetwork.vertices.listLatest({ blockchainId: "x-chain", pageSize: 40 }, at),
        ({ result }) => result.vertices,
      );
      const recorded = nodeVertices(folder).reverse();
      expect(found).toMatchObject(recorded);
      expect(found).toHaveLength(recorded.length);
    });
  },
  { inShortForm: 1 },
);
