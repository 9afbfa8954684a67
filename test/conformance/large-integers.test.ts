import { getNamedType, isIntrospectionType, isObjectType } from "graphql";
import { createPlanner } from "../../gateway/plan/planner.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { nodeBlocks } from "../support/recorded/node-blocks.ts";
import { type Api, startPrimaryApi } from "./api.ts";

const MAX_INT64 = "9223372036854775807";
const MAX_UINT64 = "18446744073709551615";

/** Sets every integer of 64 bits that a route returns as a JSON number. */
const STATEMENTS = [
  "UPDATE utxos SET locktime = $1, stakeable_locktime = $1",
  "UPDATE subnets SET create_owner_locktime = $1, owner_locktime = $1",
  "UPDATE blockchains SET evm_chain_id = $1",
  "UPDATE l1_validators SET weight = $1, end_accumulated_fee = $1, is_active = true",
  "UPDATE p_chain_states SET l1_accrued_fees = $1 - $1::numeric",
  "UPDATE primary_blocks SET l1_validators_accrued_fees = $1 WHERE l1_validators_accrued_fees IS NOT NULL",
  `UPDATE primary_transactions SET details = regexp_replace(
    regexp_replace(details, '("(?:weight|remainingBalance|locktime)": ?")\\d+', '\\1' || $1, 'g'),
    '("balanceChange": ?")-?\\d+', '\\1-' || $1, 'g') WHERE details IS NOT NULL`,
];

const PROPOSER = nodeBlocks(ALPHA, "P").flatMap(({ proposerDetails }) => proposerDetails?.proposerNodeId ?? [])[0];
const P_CHAIN = "/v1/networks/fuji/blockchains/p-chain";
const X_CHAIN = "/v1/networks/fuji/blockchains/x-chain";
const L1_VALIDATORS = "/v1/networks/fuji/l1Validators?includeInactiveL1Validators=true";

/** Lists, and the members in which they return such integers. */
const MEMBERS: readonly (readonly [path: string, members: readonly string[]])[] = [
  [`${P_CHAIN}/transactions`, ["platformLocktime", "stakeableLocktime", "weight", "remainingBalance"]],
  [`${P_CHAIN}/transactions`, ["locktime", "balanceChange"]],
  [`${P_CHAIN}/nodes/${PROPOSER}/blocks`, ["l1ValidatorsAccruedFees"]],
  [`${X_CHAIN}/transactions`, ["platformLocktime"]],
  [`/hosted${P_CHAIN}/transactions`, ["platformLocktime", "stakeableLocktime", "weight", "remainingBalance"]],
  [`/hosted${P_CHAIN}/transactions`, ["locktime", "balanceChange"]],
  [`/hosted${X_CHAIN}/transactions`, ["locktime"]],
  ["/v1/networks/fuji/subnets", ["locktime", "evmChainId"]],
  ["/hosted/v1/networks/fuji/subnets", ["locktime", "evmChainId"]],
  [L1_VALIDATORS, ["weight", "remainingBalance"]],
  [`/hosted${L1_VALIDATORS}`, ["weight", "remainingBalance"]],
];

/** The JSON of all pages of a list. */
async function pagesOf(api: Api, path: string): Promise<string> {
  const texts: string[] = [];
  for (let token = ""; ; ) {
    const { status, text, body } = await api.get(`${path}${path.includes("?") ? "&" : "?"}pageSize=100${token}`);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    texts.push(text);
    const { nextPageToken } = body as { readonly nextPageToken?: string };
    if (!nextPageToken) return texts.join("\n");
    token = `&pageToken=${nextPageToken}`;
  }
}

/** The texts of all values of a member, as they are in the JSON. */
function valuesOf(json: string, member: string): Set<string> {
  return new Set(
    [...json.matchAll(new RegExp(`"${member}":("[^"]*"|[^,}\\]]+)`, "g"))].map(([, text]) => text as string),
  );
}

const QUERY = `{
  subnets(network: FUJI, first: 100) { subnets: nodes { locktime subnetOwnershipInfo { locktime } blockchains { evmChainId } } }
  l1Validators(network: FUJI, filter: { statuses: [ACTIVE, INACTIVE, REMOVED] }) { validators: nodes { weight remainingBalance } }
}`;

describe.each([MAX_INT64, MAX_UINT64])("an integer of 64 bits with the value %s", (value) => {
  let api: Api;
  beforeAll(async () => {
    api = await startPrimaryApi(ALPHA);
    for (const statement of STATEMENTS) await api.pool.query(statement, [value]);
  });
  afterAll(() => api[Symbol.asyncDispose]());

  it.each(MEMBERS)("is a number with all its digits on %s in %j", async (path, members) => {
    const json = await pagesOf(api, path);
    for (const member of members) {
      const expected = member === "balanceChange" ? `-${value}` : value;
      const values = [...valuesOf(json, member)];
      expect([member, values]).toEqual([member, expect.arrayContaining([expected])]);
      // The primary network as a subnet has no row: its locktime is always 0.
      expect(values.filter((text) => text !== expected && !(path.endsWith("/subnets") && text === "0"))).toEqual([]);
    }
  });

  it("is a string with all its digits in the graph", async () => {
    const { text } = await api.get(`/graphql?query=${encodeURIComponent(QUERY)}`);
    for (const member of ["locktime", "evmChainId", "weight", "remainingBalance"]) {
      const values = valuesOf(text, member);
      expect(values).toContain(`"${value}"`);
      expect([...values].filter((one) => ![`"${value}"`, '"0"', "null"].includes(one))).toEqual([]);
    }
  });
});

/** Why a number in the graph is never so large that a client would round it, and its fields. */
const EXACT_NUMBERS: Readonly<Record<string, readonly string[]>> = {
  "a rate, a share or a coordinate, which is no integer": [
    "AverageTps.value",
    "ChainActivity.averageGasPerSecond",
    "ChainActivity.averageTps",
    "ChainIndexing.blocksPerSecond",
    "Geolocation.latitude",
    "Geolocation.longitude",
    "OperationProgress.fraction",
    "PrimaryChainIndexing.blocksPerSecond",
    "PrimaryNetworkActivity.averageRewardRate",
    "PrimaryNetworkActivity.maximumRewardRate",
    "PrimaryNetworkActivity.minimumRewardRate",
    "PrimaryNetworkActivity.stakedPercentage",
    "PrimaryNetworkStatistics.averageRewardRate",
    "PrimaryNetworkStatistics.maximumRewardRate",
    "PrimaryNetworkStatistics.minimumRewardRate",
    "PrimaryNetworkStatistics.stakedPercentage",
    "RecentChainActivity.averageGasPerSecond",
    "RecentChainActivity.averageTps",
    "Validator.stakePercentage",
    "Validator.uptimePerformance",
    "ValidatorHealth.benchedCChainRequestsPercent",
    "ValidatorHealth.benchedPChainRequestsPercent",
    "ValidatorHealth.benchedXChainRequestsPercent",
    "ValidatorHealth.reachabilityPercent",
  ],
  "a duration that a process of Moraine measures": [
    "OperationProgress.etaSeconds",
    "SignatureAggregation.collectMs",
    "SignatureAggregation.connectMs",
  ],
  "an integer of 32 bits in the codec": [
    "BalanceOwner.threshold",
    "HistoricalReward.outputIndex",
    "Node.networkId",
    "OutputOwners.threshold",
    "PrimaryNetwork.networkId",
    "PrimaryNetworkUtxo.groupId",
    "PrimaryNetworkUtxo.outputIndex",
    "PrimaryNetworkUtxo.threshold",
    "Subnet.threshold",
    "SubnetOwnershipInfo.threshold",
  ],
  "a height, which grows by one with each block or vertex": [
    "NetworkUpgrades.apricotPhase4MinPChainHeight",
    "PrimaryNetworkTransaction.blockHeight",
  ],
  "milliseconds of a block time, which consensus keeps near the clock": [
    "Erc20Transfer.blockTimestampMilliseconds",
    "EvmBlock.blockTimestampMilliseconds",
    "EvmTransaction.blockTimestampMilliseconds",
  ],
  "a number in a node's answer, which is refused if it is larger": [
    "HealthCheck.contiguousFailures",
    "NodePeer.objectedAcps",
    "NodePeer.observedUptime",
    "NodePeer.supportedAcps",
  ],
};

it("every number in the graph that may have more than 32 bits is known never to reach 2^53", () => {
  const { schema } = createPlanner(committedSupergraph(), []);
  const fields = Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) && !isIntrospectionType(type)
      ? Object.values(type.getFields())
          .filter((field) => ["Integer", "Float"].includes(getNamedType(field.type).name))
          .map(({ name }) => `${type.name}.${name}`)
      : [],
  );
  expect(fields.sort()).toEqual(Object.values(EXACT_NUMBERS).flat().sort());
});
