import { graphql } from "graphql";
import { createWork } from "../../../core/work/work.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { allItems } from "../../../test/support/indexed/primary-lists.ts";
import { type OpenedPrimary, openPrimary } from "../../../test/support/indexed/primary-snapshots.ts";
import { inField, walkList } from "../../../test/support/lists/walk-query.ts";
import { recordingFolder } from "../../../test/support/recorded/primary-vectors.ts";
import { nodeIdText } from "../identifiers/ids.ts";

/** A node with many validations with delegations; the last one is active. */
const NODE = "NodeID-8KqHjdHzhCssqQutnc3SKcadkoKeoi8am";
const OTHER = "NodeID-Dirf99WSfeTijWV5W2sCYAbonLagfmKtN";
const ADDRESS = "custom15j8kmdm073txt2p4j7k3yk6w3ms5eewl2ulr3e";
const STRANGER = "NodeID-111111111111111111116DBWJs";
const PRIMARY = "11111111111111111111111111111111LpoYY";

const REWARDS = "{ validationRewardAmount delegationRewardAmount rewardAddresses rewardTxHash }";
const VALIDATOR = `txHash nodeId subnetId amountStaked delegationFee startTimestamp endTimestamp validationStatus
  blsCredentials { publicKey proofOfPossession } stakePercentage delegatorCount amountDelegated uptimePerformance
  potentialRewards ${REWARDS} rewards ${REWARDS} validatorHealth { reachabilityPercent } removeTxHash removeTimestamp`;
const DELEGATOR = `txHash nodeId rewardAddresses amountDelegated delegationFee startTimestamp endTimestamp grossReward
  netReward estimatedGrossReward estimatedNetReward delegationStatus`;
const REWARD = `utxoId addresses txHash amountStaked nodeId startTimestamp endTimestamp rewardType outputIndex rewardTxHash
  reward { assetId name symbol denomination type amount historicalPrice(currency: EUR) { value } }`;
const L1_VALIDATOR = `validationId nodeId subnetId weight remainingBalance creationTimestamp remainingBalanceOwner { addresses }
  deactivationOwner { addresses threshold } blsCredentials { publicKey }`;

/** Lists with the number of statements of a page of any size. */
const LISTS = [
  [
    "E11 rewards, with their assets",
    1,
    "rewards",
    `filter: { nodeIds: "${NODE}" },`,
    `historicalRewards: nodes { ${REWARD} }`,
  ],
  [
    "E11 rewards of addresses on nodes, with their assets",
    1,
    "rewards",
    `filter: { addresses: "${ADDRESS}", nodeIds: ["${NODE}", "${OTHER}"] },`,
    `historicalRewards: nodes { ${REWARD} }`,
  ],
  [
    "E12 validators, with their delegations and the total stake",
    3,
    "validators",
    `filter: { nodeIds: "${NODE}" },`,
    `nodes { ${VALIDATOR} }`,
  ],
  ["E13 delegators", 1, "delegators", "", `nodes { ${DELEGATOR} }`],
  [
    "E13 delegators of owners to nodes",
    1,
    "delegators",
    `rewardAddresses: "${ADDRESS}", filter: { nodeIds: "${NODE}" },`,
    `nodes { ${DELEGATOR} }`,
  ],
  [
    "E16 L1 validators",
    1,
    "l1Validators",
    "includeInactiveL1Validators: true,",
    `nodes { ${L1_VALIDATOR} } blockHeight`,
  ],
] as const;

describe("lists of stakers", () => {
  let opened: OpenedPrimary;
  beforeAll(async () => {
    opened = await openPrimary(recordingFolder("alpha"));
    await opened.ask("{ primaryNetworks { network } }");
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  const ask = <Data>(query: string) => opened.ask<Data>(query);
  const page = (field: string, args: string, fields: string) =>
    `{ page: ${field}(network: FUJI, ${args}) { nextPageToken ${fields} } }`;

  it.each(LISTS)("%s: %i statements a page", async (_, statements, field, filter, fields) => {
    // Assets are read once and kept.
    await ask(page(field, `${filter} first: 100`, fields));
    const counts: number[] = [];
    for (const pageSize of [1, 5, 100]) {
      // The total stake is cached for some seconds.
      opened.clock.nowSeconds += 60;
      const query = page(field, `${filter} first: ${pageSize}`, fields);
      counts.push((await statementsOf(() => ask(query))).length);
    }
    expect(counts).toEqual([statements, statements, statements]);
  });

  it.each([
    [
      "rewards",
      `filter: { addresses: "${ADDRESS}" }`,
      "addresses",
      `filter: { addresses: "P-${ADDRESS}" }`,
      `filter: { addresses: "${ADDRESS}", nodeIds: "${NODE}" }`,
    ],
    [
      "delegators",
      `filter: { nodeIds: ["${NODE}", "${OTHER}"] }`,
      "nodes",
      `filter: { nodeIds: ["${OTHER}", "${NODE}", "${NODE}"] }`,
      `filter: { nodeIds: "${NODE}" }`,
    ],
    [
      "validators",
      `filter: { nodeIds: "${NODE}" }`,
      "node",
      `filter: { nodeIds: "${NODE}", subnetId: null }`,
      `filter: { nodeIds: "${OTHER}" }`,
    ],
    [
      "l1Validators",
      "includeInactiveL1Validators: true",
      "flag",
      "filter: { subnetIds: [] }, includeInactiveL1Validators: true",
      "includeInactiveL1Validators: false",
    ],
  ])(
    "%s: accepts a page token with the same filter in another spelling, but not with another value (%s)",
    async (field, filter, _, same, other) => {
      const { page: first } = await ask<{ page: { nextPageToken: string } }>(page(field, `${filter}, first: 1`, ""));
      const token = `first: 1, after: "${first.nextPageToken}"`;
      expect(await ask(page(field, `${same}, ${token}`, ""))).toEqual(
        await ask(page(field, `${filter}, ${token}`, "")),
      );
      const [refusal] = await opened.refusals(page(field, `${other}, ${token}`, ""));
      expect(refusal).toMatch(/^INVALID_PARAMETER the page token or cursor must be /);
    },
  );

  it.each([
    ["rewards", 'filter: { nodeIds: "x" }', /^INVALID_PARAMETER nodeIds must be a node ID, as NodeID-…, got "x"/],
    [
      "rewards",
      `filter: { nodeIds: ["${NODE}", ""] }`,
      /^INVALID_PARAMETER nodeIds must be a node ID, as NodeID-…, got ""/,
    ],
    ["rewards", 'filter: { addresses: "0x12" }', /^INVALID_PARAMETER addresses must be Bech32 addresses of fuji/],
    ["delegators", 'rewardAddresses: "x"', /^INVALID_PARAMETER rewardAddresses must be Bech32 addresses of fuji/],
    ["delegators", 'filter: { subnetId: "x" }', /^INVALID_PARAMETER subnetId must be a 32-byte id/],
    ["validators", 'filter: { nodeIds: "x" }', /^INVALID_PARAMETER nodeId must be a node ID, as NodeID-…, got "x"/],
    ["l1Validators", 'l1ValidationId: "x"', /^INVALID_PARAMETER l1ValidationId must be a 32-byte id/],
    ["l1Validators", `filter: { subnetIds: ["${PRIMARY}", "x"] }`, /^INVALID_PARAMETER subnetId must be a 32-byte id/],
  ])("%s refuses %s", async (field, filter, expected) => {
    expect(await opened.refusals(page(field, `${filter} first: 1`, ""))).toEqual([expect.stringMatching(expected)]);
  });

  it("limits filters to 200 nodes and 100 subnets", async () => {
    const nodes = Array.from({ length: 201 }, (_, at) => nodeIdText(`0x${at.toString(16).padStart(40, "0")}`));
    const subnets = Array.from({ length: 101 }, (_, at) => at.toString(16).padStart(64, "0"));
    const refusals = [
      await opened.refusals(page("rewards", `filter: { nodeIds: ${JSON.stringify(nodes)} }`, "")),
      await opened.refusals(page("l1Validators", `filter: { subnetIds: ${JSON.stringify(subnets)} }`, "")),
    ];
    expect(refusals.flat()).toEqual([
      "INVALID_PARAMETER nodeIds must be at most 200 node IDs, got 201",
      "INVALID_PARAMETER subnetId must be at most 100 subnet IDs, got 101",
    ]);
  });

  it("are empty without matches, and NOT_FOUND for a network that is not served", async () => {
    const empty = { nextPageToken: null };
    expect(
      await ask(page("rewards", `filter: { nodeIds: "${STRANGER}" }`, "historicalRewards: nodes { txHash }")),
    ).toEqual({
      page: { ...empty, historicalRewards: [] },
    });
    expect(await ask(page("validators", `filter: { nodeIds: "${STRANGER}" }`, "validators: nodes { txHash }"))).toEqual(
      {
        page: { ...empty, validators: [] },
      },
    );
    expect(
      await ask(page("l1Validators", `nodeId: "${STRANGER}"`, "blockHeight validators: nodes { nodeId }")),
    ).toEqual({
      page: { ...empty, blockHeight: "408", validators: [] },
    });
    const [refusal] = await opened.refusals("{ delegators(network: MAINNET) { nextPageToken } }");
    expect(refusal).toMatch(/^NOT_FOUND network mainnet is not served/);
  });

  it("nested lists equal the filtered top-level lists, page by page", async () => {
    const [validators, delegators, rewards] = await Promise.all([
      allItems(opened, { field: "validators", filter: `filter: { nodeIds: "${NODE}" },`, fields: "txHash" }),
      allItems(opened, {
        field: "delegators",
        filter: `filter: { nodeIds: "${NODE}" },`,
        fields: "txHash validator { txHash }",
      }),
      allItems(opened, {
        field: "rewards",
        filter: `filter: { nodeIds: "${NODE}" },`,
        fields: "utxoId txHash",
      }),
    ]);
    const below = async (list: string, items: string, fields: string) => {
      const found: unknown[] = [];
      for (let token = ""; ; ) {
        const { validatorNode } = await ask<{ validatorNode: Record<string, { nextPageToken: string | null }> }>(
          `{ validatorNode(network: FUJI, nodeId: "${NODE}") { ${list}(first: 3, after: "${token}") { nextPageToken ${items}: nodes { ${fields} } } } }`,
        );
        const some = validatorNode[list] as unknown as { nextPageToken: string | null; [items: string]: unknown };
        found.push(...(some[items] as unknown[]));
        if (some.nextPageToken === null) return found;
        token = some.nextPageToken;
        // The clock advances between pages.
        opened.clock.nowSeconds += 1;
      }
    };
    expect(await below("validators", "validators", "txHash")).toEqual(validators);
    expect(await below("delegators", "delegators", "txHash validator { txHash }")).toEqual(delegators);
    expect(await below("rewards", "historicalRewards", "utxoId txHash")).toEqual(rewards);
    const nested = await ask<{ page: { validators: { txHash: string; delegators: { delegators: object[] } }[] } }>(
      page(
        "validators",
        `filter: { nodeIds: "${NODE}" }`,
        "validators: nodes { txHash delegators(first: 100) { delegators: nodes { txHash validator { txHash } } } }",
      ),
    );
    for (const { txHash, delegators: own } of nested.page.validators)
      expect(own.delegators).toEqual(
        delegators.filter(({ validator }) => (validator as { txHash: string }).txHash === txHash),
      );
    expect(nested.page.validators.length).toBeGreaterThan(5);
  });

  it("the transactions of an L1 validator are those of the P-Chain that name it, newest first", async () => {
    const chain = await allItems(opened, {
      field: "primaryNetworkTransactions",
      filter: 'blockchainId: "p-chain",',
      fields: "txHash l1ValidatorDetails { validationId }",
    });
    const naming = (id: unknown) =>
      chain.filter((tx) =>
        (tx["l1ValidatorDetails"] as { validationId: string }[] | null)?.some((one) => one.validationId === id),
      );
    const validators = await allItems(opened, {
      field: "l1Validators",
      filter: "filter: { statuses: [ACTIVE, INACTIVE, REMOVED] },",
      fields: "validationId",
    });
    let compared = 0;
    for (const { validationId } of validators) {
      const found = await walkList({
        ask,
        place: inField(`l1Validator(network: FUJI, validationId: "${validationId}")`),
        field: "transactions",
        selection: "txHash",
        size: 2,
      });
      expect(found).toEqual(naming(validationId).map(({ txHash }) => ({ txHash })));
      compared += found.length;
    }
    expect(compared).toBeGreaterThan(validators.length);
  });

  it.each(["validators", "delegators", "l1Validators"])(
    "the number and the weight of %s are one statement",
    async (field) => {
      const list = (totals: string) => `{ page: ${field}(network: FUJI, first: 2) { nextPageToken ${totals} } }`;
      const counts = [];
      for (const totals of ["", "totalCount { count }", "totalWeight", "totalCount { count } totalWeight"])
        counts.push((await statementsOf(() => ask(list(totals)))).length);
      expect(counts).toEqual([1, 2, 2, 2]);
    },
  );

  it("related entities of a page cost a fixed number of statements", async () => {
    const query = (n: number) =>
      page(
        "validators",
        `filter: { nodeIds: "${NODE}" }, first: ${n}`,
        `validators: nodes { subnet { isL1 } transaction { txHash } historicalRewards { utxoId } node { network }
        delegators(first: 2) { delegators: nodes { txHash validator { txHash } } } }`,
      );
    const counts = [];
    for (const n of [2, 5]) counts.push((await statementsOf(() => ask(query(n)))).length);
    expect(counts[1]).toBe(counts[0]);
  });

  it("resolve references from other subgraphs", async () => {
    const [validator] = await allItems(opened, {
      field: "validators",
      filter: `filter: { nodeIds: "${NODE}" },`,
      fields: "txHash",
    });
    const [delegator] = await allItems(opened, {
      field: "delegators",
      filter: `filter: { nodeIds: "${NODE}" },`,
      fields: "txHash",
    });
    const [l1] = await allItems(opened, { field: "l1Validators", fields: "validationId nodeId" });
    const representations = [
      { __typename: "Validator", network: "FUJI", txHash: validator?.["txHash"] },
      { __typename: "Delegator", network: "TESTNET", txHash: delegator?.["txHash"] },
      { __typename: "L1Validator", network: "FUJI", validationId: l1?.["validationId"] },
      { __typename: "ValidatorNode", nodeId: NODE },
      { __typename: "Validator", network: "FUJI", txHash: delegator?.["txHash"] },
      { __typename: "Delegator", network: "MAINNET", txHash: delegator?.["txHash"] },
    ];
    const { data, errors } = await graphql({
      schema: opened.subgraph.schema,
      contextValue: opened.subgraph.context({ work: createWork(), requestId: "test" }),
      source: `query($of: [_Any!]!) { _entities(representations: $of) { ... on Validator { txHash } ... on Delegator { txHash }
        ... on L1Validator { nodeId } ... on ValidatorNode { nodeId network } } }`,
      variableValues: { of: representations },
    });
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      _entities: [validator, delegator, { nodeId: l1?.["nodeId"] }, { nodeId: NODE, network: "FUJI" }, null, null],
    });
  });
});
