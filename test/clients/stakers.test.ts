import { CurrencyCode } from "@avalanche-sdk/chainkit/models/components";
import { BadRequestError, NotFoundError } from "@avalanche-sdk/chainkit/models/errors";
import { readManifest } from "../../recordings/manifest.ts";
import { testConfig } from "../support/config.ts";
import { servedNetworks } from "../support/indexed/alpha-network.ts";
import { openSnapshotReplay } from "../support/indexed/primary-snapshots.ts";
import { type ReplayedPrimary, replayPrimary } from "../support/indexed/replayed-primary.ts";
import { pendingStakers } from "../support/recorded/node-stakers.ts";
import { describeRecordings, recordingFolder } from "../support/recorded/primary-vectors.ts";
import { type RecordedStaking, recordedStakings } from "../support/recorded/recorded-stakings.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { allItems, createOfficialClient } from "./official-client.ts";

const { primaryNetwork } = createOfficialClient().data;

describeRecordings(
  "the official client in the hosted dialect, for stakers",
  (folder) => {
    let database: ReplayedPrimary;
    let stack: Stack;
    let stakings: readonly RecordedStaking[];
    let at: { readonly serverURL: string };

    beforeAll(async () => {
      stakings = recordedStakings(folder);
      database = await replayPrimary(folder);
      const coin = { name: "Avalanche", symbol: "AVAX", decimals: 18, priceId: "coin" };
      const cChain = readManifest(folder).chains.find(({ alias }) => alias === "C");
      const chain = {
        chainId: 7,
        network: "fuji",
        nodeUrl: "http://127.0.0.1:1",
        chainName: "C-Chain",
        networkToken: coin,
      };
      const { evmChains } = testConfig({ evmChains: [{ ...chain, blockchainId: cChain?.blockchainId }] });
      await database.pool.query(
        "INSERT INTO prices SELECT 'coin', 'chf', max(reward_timestamp), 12.25 FROM primary_rewards",
      );
      stack = await startStack({
        database,
        config: { ...testConfig(), evmChains, primaryNetworks: servedNetworks(folder) },
      });
      at = { serverURL: `${stack.url}/hosted` };
    });
    afterAll(async () => {
      await stack[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    });

    const nodes = () => [...new Set(stakings.map(({ nodeId }) => nodeId))];
    const of = (kind: string) => stakings.filter((one) => one.kind === kind);
    const sorted = (hashes: readonly string[]) => [...hashes].sort();

    it("E11 lists rewards in every currency, some with a price", async () => {
      const expected = sorted(stakings.flatMap(({ rewards }) => rewards.map(({ utxoId }) => utxoId)));
      const prices = new Set<unknown>();
      for (const [index, currency] of Object.values(CurrencyCode).entries()) {
        const listing = { nodeIds: nodes().join(","), currency, pageSize: 5 + index };
        const pages = primaryNetwork.rewards.listHistoricalRewards(listing, at);
        const found = await allItems(pages, ({ result }) => result.historicalRewards);
        expect(sorted(found.map(({ utxoId }) => utxoId))).toEqual(expected);
        for (const { reward } of found) if (reward.historicalPrice) prices.add(reward.historicalPrice.value);
      }
      expect([...prices]).toEqual([12.25]);
      await expect(primaryNetwork.rewards.listHistoricalRewards({}, at)).rejects.toBeInstanceOf(BadRequestError);
    });

    it("E12 lists validations of every status, and in pages", async () => {
      const found = [];
      for (const nodeId of nodes())
        for (const pageSize of [2, 100])
          found.push(
            ...(await allItems(
              primaryNetwork.getValidatorDetails({ nodeId, pageSize }, at),
              ({ result }) => result.validators,
            )),
          );
      const expected = sorted(of("VALIDATOR").map(({ txHash }) => txHash));
      expect(sorted(found.map(({ txHash }) => txHash))).toEqual(sorted([...expected, ...expected]));
      expect(new Set(found.map(({ validationStatus }) => validationStatus))).toEqual(
        new Set(["completed", "active", "removed"]),
      );
      for (const one of found)
        if (one.validationStatus === "active") {
          expect(one).toMatchObject({ geolocation: null, uptimePerformance: 0 });
          expect(one).toHaveProperty("potentialRewards.delegationRewardAmount");
        }
    });

    it.each(["completed", "active", "pending", "removed"] as const)(
      "E12 lists validations with the status %s",
      async (validationStatus) => {
        const found = [];
        for (const nodeId of nodes()) {
          const pages = primaryNetwork.getValidatorDetails({ nodeId, validationStatus }, at);
          found.push(...(await allItems(pages, ({ result }) => result.validators)));
        }
        for (const one of found) expect(one.validationStatus).toBe(validationStatus);
        expect(found.length > 0).toBe(validationStatus !== "pending");
      },
    );

    it.each(["completed", "active", "pending"] as const)(
      "E13 lists delegations with the status %s",
      async (delegationStatus) => {
        const pages = primaryNetwork.listDelegators({ delegationStatus, pageSize: 7 }, at);
        const found = await allItems(pages, ({ result }) => result.delegators);
        for (const one of found) {
          expect(one.delegationStatus).toBe(delegationStatus);
          expect(Object.hasOwn(one, "estimatedNetReward")).toBe(delegationStatus !== "completed");
        }
        const isOver = ({ rewardTxHash }: RecordedStaking) => rewardTxHash !== null;
        const expected = of("DELEGATOR").filter((one) => isOver(one) === (delegationStatus === "completed"));
        expect(sorted(found.map(({ txHash }) => txHash))).toEqual(
          delegationStatus === "pending" ? [] : sorted(expected.map(({ txHash }) => txHash)),
        );
      },
    );

    it("E13 lists delegations of every status on one page, and by owner and node", async () => {
      const every = await allItems(
        primaryNetwork.listDelegators({ pageSize: 100 }, at),
        ({ result }) => result.delegators,
      );
      expect(every).toHaveLength(of("DELEGATOR").length);
      const [first] = every;
      const listing = { rewardAddresses: first?.rewardAddresses.join(",") ?? "", nodeIds: first?.nodeId ?? "" };
      const own = await allItems(primaryNetwork.listDelegators(listing, at), ({ result }) => result.delegators);
      expect(own.map(({ txHash }) => txHash)).toContain(first?.txHash);
      expect(new Set(own.map(({ nodeId }) => nodeId))).toEqual(new Set([first?.nodeId]));
    });

    it("E16 lists validators of L1s: all, active, one, and of several subnets", async () => {
      const listed = (listing: Parameters<typeof primaryNetwork.listL1Validators>[0]) =>
        allItems(primaryNetwork.listL1Validators(listing, at), ({ result }) => {
          expect(result.blockHeight).toMatch(/^\d+$/);
          return result.validators;
        });
      const every = await listed({ includeInactiveL1Validators: true, pageSize: 3 });
      const active = await listed({});
      expect(every.length).toBeGreaterThan(active.length);
      expect(active.map(({ remainingBalance }) => remainingBalance > 0)).toEqual(active.map(() => true));
      const [one] = active;
      const { validationId = "", nodeId = "", subnetId = "" } = one ?? {};
      expect(await listed({ l1ValidationId: validationId, nodeId, subnetId })).toEqual([one]);
      const subnets = [...new Set(active.map((validator) => validator.subnetId))];
      expect(await listed({ subnetId: subnets })).toEqual(active);
    });

    it("E12 throws the client's error for an invalid node id and for an unserved network", async () => {
      const bad = allItems(primaryNetwork.getValidatorDetails({ nodeId: "x" }, at), () => []);
      await expect(bad).rejects.toBeInstanceOf(BadRequestError);
      const elsewhere = allItems(primaryNetwork.listDelegators({ network: "mainnet" }, at), () => []);
      await expect(elsewhere).rejects.toBeInstanceOf(NotFoundError);
    });
  },
  { inShortForm: 1 },
);

describe("the official client in the hosted dialect, for pending stakers", () => {
  it("E12 E13 lists them as pending", async () => {
    const folder = recordingFolder("delta");
    await using replay = await openSnapshotReplay(folder);
    const snapshot = await replay.replayTo("01-pending-stakers");
    const config = { ...testConfig(), primaryNetworks: servedNetworks(folder) };
    const nowMs = () => replay.clock.nowSeconds * 1_000;
    await using stack = await startStack({ database: replay.database, config, nowMs });
    const at = { serverURL: `${stack.url}/hosted` };
    for (const { answer } of pendingStakers(snapshot))
      for (const { nodeID: nodeId, txID } of answer.validators) {
        const pages = primaryNetwork.getValidatorDetails({ nodeId, validationStatus: "pending" }, at);
        const found = await allItems(pages, ({ result }) => result.validators);
        expect(found.map(({ txHash, validationStatus }) => [txHash, validationStatus])).toContainEqual([
          txID,
          "pending",
        ]);
      }
    const pages = primaryNetwork.listDelegators({ delegationStatus: "pending", pageSize: 2 }, at);
    const delegators = await allItems(pages, ({ result }) => result.delegators);
    expect(delegators).toHaveLength(5);
    for (const one of delegators) expect(one).toMatchObject({ estimatedGrossReward: expect.stringMatching(/^[1-9]/) });
  });
});
