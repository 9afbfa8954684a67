import { openSnapshotReplay, type SnapshotReplay } from "../../test/support/indexed/primary-snapshots.ts";
import { inField, ROOT, walkList } from "../../test/support/lists/walk-query.ts";
import {
  currentValidators,
  feeOf,
  type NodeStaker,
  PRIMARY_SUBNET,
  pendingStakers,
  totalWeights,
  weightOf,
} from "../../test/support/recorded/node-stakers.ts";
import type { Snapshot } from "../../test/support/recorded/primary-recording.ts";
import { describeAllRecordings } from "../../test/support/recorded/primary-vectors.ts";

type Item = Readonly<Record<string, string | number | boolean | null>>;

const DIRECTIONS = ["ASC", "DESC"] as const;
const sum = (values: Iterable<string>): string =>
  String([...values].reduce((total, value) => total + BigInt(value), 0n));
const isSorted = (values: readonly bigint[], direction: (typeof DIRECTIONS)[number]): boolean =>
  values.every(
    (value, at) =>
      at === 0 || (direction === "ASC" ? (values[at - 1] ?? 0n) <= value : (values[at - 1] ?? 0n) >= value),
  );

describeAllRecordings(
  "lists of the primary network by stake, fee, time and kind",
  (folder) => {
    let replay: SnapshotReplay;
    beforeAll(async () => {
      replay = await openSnapshotReplay(folder);
    });
    afterAll(() => replay[Symbol.asyncDispose]());

    const list = async (field: string, args: string, fields: string, pageSize = 7) =>
      (await walkList({
        ask: replay.ask,
        place: ROOT,
        field,
        args: `network: FUJI, ${args}`,
        selection: fields,
        size: pageSize,
      })) as Item[];

    /** The number and weight that the graph has for a list. */
    const totalOf = async (field: string, filter: string) =>
      (
        await replay.ask<{ list: { totalCount: { count: string; isExact: boolean }; totalWeight: string } }>(
          `{ list: ${field}(network: FUJI, filter: { ${filter} }, first: 1) { totalCount { count isExact } totalWeight } }`,
        )
      ).list;

    const FIELDS = {
      START_TIME: (item: Item) => BigInt(item["startTimestamp"] as string),
      END_TIME: (item: Item) => BigInt(item["endTimestamp"] as string),
      WEIGHT: (item: Item) => BigInt((item["weight"] ?? item["amountDelegated"]) as string),
      DELEGATION_FEE: (item: Item) => BigInt(Math.round(Number(item["delegationFee"]) * 10_000)),
    } as const;
    const STAKER = "txHash startTimestamp endTimestamp delegationFee";

    /** All orders of a list have the same items, sorted, and their ranges are parts of them. */
    async function checkOrders(field: "validators" | "delegators", filter: string): Promise<void> {
      const fields = `${STAKER} ${field === "validators" ? "weight" : "amountDelegated"}`;
      const all = await list(field, `filter: { ${filter} },`, fields);
      for (const [order, valueIn] of Object.entries(FIELDS)) {
        if (order === "DELEGATION_FEE" && field === "delegators") continue;
        const listed = order === "DELEGATION_FEE" ? all.filter(({ delegationFee }) => delegationFee !== null) : all;
        const ids = (items: readonly Item[]) => items.map(({ txHash }) => txHash as string).sort();
        for (const direction of DIRECTIONS) {
          const found = await list(
            field,
            `filter: { ${filter} }, orderBy: { field: ${order}, direction: ${direction} },`,
            fields,
          );
          expect(ids(found)).toEqual(ids(listed));
          expect(isSorted(found.map(valueIn), direction)).toBe(true);
          const values = [...new Set(found.map(valueIn))].sort((one, other) => (one < other ? -1 : 1));
          const [from = 0n, to = 0n] = [values[Math.floor(values.length / 3)], values.at(-1)];
          const range = `from: "${from}", to: "${to}"`;
          const part = await list(
            field,
            `filter: { ${filter} }, orderBy: { field: ${order}, direction: ${direction}, ${range} },`,
            fields,
          );
          expect(part).toEqual(found.filter((item) => valueIn(item) >= from && valueIn(item) < to));
        }
      }
    }

    it("list the stakers that the node has, in every order, with their number and weight", async () => {
      let compared = 0;
      await replay.forEachSnapshot(async (snapshot) => {
        for (const { subnetId, nodeId, answer } of currentValidators(snapshot)) {
          if (nodeId !== null) continue;
          const filter = `subnetId: "${subnetId}", status: ACTIVE`;
          const found = await list("validators", `filter: { ${filter} },`, `${STAKER} weight nodeId`);
          const expected = answer.stakers.map((staker) => ({
            txHash: staker.txID,
            weight: weightOf(staker),
            delegationFee: feeOf(staker),
            endTimestamp: Number(staker.endTime),
          }));
          const known = found.map(({ txHash, weight, delegationFee, endTimestamp }) => ({
            txHash,
            weight,
            delegationFee,
            endTimestamp: Number(endTimestamp),
          }));
          const byId = (one: { txHash: unknown }, other: { txHash: unknown }) =>
            String(one.txHash) < String(other.txHash) ? -1 : 1;
          expect(known.toSorted(byId)).toEqual(expected.toSorted(byId));
          expect(await totalOf("validators", filter)).toEqual({
            totalCount: { count: String(expected.length), isExact: true },
            totalWeight: sum(expected.map(({ weight }) => weight)),
          });
          compared += expected.length;
        }
        for (const { subnetId, answer } of pendingStakers(snapshot))
          for (const kind of ["validators", "delegators"] as const) {
            const pending: readonly NodeStaker[] = answer[kind].filter(
              ({ startTime }) => Number(startTime) > replay.clock.nowSeconds,
            );
            expect(await totalOf(kind, `subnetId: "${subnetId}", status: PENDING`)).toEqual({
              totalCount: { count: String(pending.length), isExact: true },
              totalWeight: sum(pending.map(weightOf)),
            });
          }
      });
      expect(compared).toBeGreaterThan(10);
      const filters = [
        "",
        "status: ACTIVE",
        "status: COMPLETED",
        "status: PENDING",
        `subnetId: "${PRIMARY_SUBNET}"`,
        `subnetId: "${PRIMARY_SUBNET}", status: COMPLETED`,
      ];
      for (const filter of filters) {
        await checkOrders("validators", filter);
        await checkOrders("delegators", filter);
      }
      const [first] = await list("validators", "", "nodeId");
      const ofNode = `nodeIds: ["${first?.["nodeId"]}"]`;
      for (const filter of [ofNode, `${ofNode}, status: COMPLETED`, `${ofNode}, subnetId: "${PRIMARY_SUBNET}"`]) {
        await checkOrders("validators", filter);
        await checkOrders("delegators", filter);
      }
    });

    /** The list of a parent in an order, and the list of the root with the parent as its filter. */
    async function compareBelow(parent: string, field: string, filter: string, parentFilter: string, orderBy: string) {
      const fields = field === "l1Validators" ? "validationId" : "txHash";
      const found = await walkList({
        ask: replay.ask,
        place: inField(parent),
        field,
        args: `filter: { ${filter} }, orderBy: { ${orderBy} }`,
        selection: fields,
        size: 3,
      });
      const root = await list(field, `filter: { ${filter}, ${parentFilter} }, orderBy: { ${orderBy} },`, fields, 100);
      expect(found).toEqual(root);
      return found.length;
    }

    it("have the same orders and ranges below a subnet and below a node", async () => {
      const [first] = await list("delegators", "", "nodeId");
      const node = `"${first?.["nodeId"]}"`;
      const [l1] = await list("l1Validators", "filter: { statuses: [ACTIVE] },", "subnetId weight remainingBalance");
      const subnet = (id: unknown) => [`subnet(network: FUJI, subnetId: "${id}")`, `subnetId: "${id}"`] as const;
      const onNode = [`validatorNode(network: FUJI, nodeId: ${node})`, `nodeIds: [${node}]`] as const;
      let compared = 0;
      for (const direction of DIRECTIONS) {
        for (const order of Object.keys(FIELDS))
          for (const status of ["COMPLETED", "ACTIVE"])
            for (const range of ["", 'from: "20001"', 'to: "1900000000"']) {
              const orderBy = `field: ${order}, direction: ${direction}, ${range}`;
              const wanted = `status: ${status}`;
              const compare = ([parent, filter]: readonly [string, string], field: string) =>
                compareBelow(parent, field, wanted, filter, orderBy);
              compared += await compare(subnet(PRIMARY_SUBNET), "validators");
              compared += await compare(onNode, "validators");
              if (order !== "DELEGATION_FEE") compared += await compare(onNode, "delegators");
            }
        const values = { CREATION_TIME: "1", WEIGHT: l1?.["weight"], BALANCE: l1?.["remainingBalance"] };
        for (const [order, value] of Object.entries(values))
          for (const range of ["", `from: "${value}"`, `to: "${value}"`]) {
            const [parent, id] = subnet(l1?.["subnetId"]);
            const filter = id.replace("subnetId: ", "subnetIds: ");
            const orderBy = `field: ${order}, direction: ${direction}, ${range}`;
            compared += await compareBelow(parent, "l1Validators", "statuses: [ACTIVE, INACTIVE]", filter, orderBy);
          }
      }
      expect(compared).toBeGreaterThan(100);
    });

    it("have the number and weight also of stakers whose status has changed since the last block", async () => {
      const before = replay.clock.nowSeconds;
      try {
        for (const seconds of [0, 60, 600, 3_600, 10 ** 9]) {
          replay.clock.nowSeconds = before + seconds;
          for (const [kind, weight] of [
            ["validators", "weight"],
            ["delegators", "amountDelegated"],
          ] as const)
            for (const status of ["ACTIVE", "PENDING", "COMPLETED"]) {
              const found = await list(kind, `filter: { status: ${status} },`, weight, 100);
              expect(await totalOf(kind, `status: ${status}`)).toEqual({
                totalCount: { count: String(found.length), isExact: true },
                totalWeight: sum(found.map((item) => item[weight] as string)),
              });
            }
        }
      } finally {
        replay.clock.nowSeconds = before;
      }
    });

    it("list L1 validators by registration, weight and balance, by subnet and state", async () => {
      const fields = "validationId subnetId weight remainingBalance creationTimestamp isActive isRemoved";
      const all = await list("l1Validators", "filter: { statuses: [ACTIVE, INACTIVE, REMOVED] },", fields, 3);
      const subnets = [...new Set(all.map(({ subnetId }) => subnetId))];
      const stateOf = ({ isActive, isRemoved }: Item) => (isRemoved ? "REMOVED" : isActive ? "ACTIVE" : "INACTIVE");
      const values = {
        CREATION_TIME: (item: Item) => BigInt(item["creationTimestamp"] as string),
        WEIGHT: (item: Item) => BigInt(item["weight"] as string),
        BALANCE: (item: Item) => BigInt(item["remainingBalance"] as string),
      };
      for (const some of [null, subnets.slice(0, 1), subnets])
        for (const states of [["ACTIVE"], ["INACTIVE", "REMOVED"], ["ACTIVE", "INACTIVE"]]) {
          const filter = `statuses: [${states}]${some ? `, subnetIds: ${JSON.stringify(some)}` : ""}`;
          const isListed = (item: Item) =>
            states.includes(stateOf(item)) && (!some?.length || some.includes(item["subnetId"] ?? null));
          const expected = all.filter(isListed);
          for (const [order, valueIn] of Object.entries(values))
            for (const direction of DIRECTIONS) {
              const found = await list(
                "l1Validators",
                `filter: { ${filter} }, orderBy: { field: ${order}, direction: ${direction} },`,
                fields,
                3,
              );
              const ids = (items: readonly Item[]) => items.map(({ validationId }) => validationId as string).sort();
              expect(ids(found)).toEqual(ids(expected));
              expect(isSorted(found.map(valueIn), direction)).toBe(true);
              const sorted = found.map(valueIn).sort((one, other) => (one < other ? -1 : 1));
              const [from = 0n, to = 0n] = [sorted[Math.floor(sorted.length / 3)], sorted.at(-1)];
              const part = await list(
                "l1Validators",
                `filter: { ${filter} }, orderBy: { field: ${order}, direction: ${direction}, from: "${from}", to: "${to}" },`,
                fields,
              );
              expect(part).toEqual(found.filter((item) => valueIn(item) >= from && valueIn(item) < to));
            }
          expect(await totalOf("l1Validators", filter)).toEqual({
            totalCount: { count: String(expected.length), isExact: true },
            totalWeight: sum(expected.map(({ weight }) => weight as string)),
          });
        }
    });

    it("list subnets by kind, validators and weight, which are those of the node", async () => {
      const snapshot = (await lastSnapshot()) as Snapshot;
      const fields =
        "subnetId kind isL1 validatorCount delegatorCount totalWeight createBlockTimestamp staking { currentSupply }";
      const all = await list("subnets", "", fields, 3);
      for (const { subnetId, answer } of totalWeights(snapshot)) {
        const found = all.find((item) => item["subnetId"] === subnetId);
        expect(found?.["totalWeight"]).toBe(answer.weight ?? answer.stake);
      }
      for (const kind of ["PRIMARY", "PERMISSIONED", "ELASTIC", "L1"]) {
        const of = (item: Item) =>
          item["isL1"]
            ? "L1"
            : item["staking"]
              ? "ELASTIC"
              : item["subnetId"] === PRIMARY_SUBNET
                ? "PRIMARY"
                : "PERMISSIONED";
        const found = await list("subnets", `filter: { kinds: [${kind}] },`, fields, 3);
        expect(found).toEqual(all.filter((item) => of(item) === kind));
      }
      for (const [order, member] of [
        ["VALIDATOR_COUNT", "validatorCount"],
        ["TOTAL_WEIGHT", "totalWeight"],
      ] as const)
        for (const direction of DIRECTIONS) {
          const found = await list("subnets", `orderBy: { field: ${order}, direction: ${direction} },`, fields, 3);
          expect(found.map(({ subnetId }) => subnetId as string).sort()).toEqual(
            all.map(({ subnetId }) => subnetId as string).sort(),
          );
          expect(
            isSorted(
              found.map((item) => BigInt(item[member] as string)),
              direction,
            ),
          ).toBe(true);
        }
    });

    async function lastSnapshot(): Promise<Snapshot | undefined> {
      let last: Snapshot | undefined;
      await replay.forEachSnapshot(async (snapshot) => {
        last = snapshot;
      });
      return last;
    }
  },
  { inShortForm: 2 },
);
