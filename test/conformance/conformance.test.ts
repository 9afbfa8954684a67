import { readKnownValues } from "../../attack/known-values.ts";
import { reportText } from "../../attack/report.ts";
import { attack } from "../../attack/run.ts";
import { createPassThrough } from "../../gateway/pass-through.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { ROUTES } from "../../rest-compat/routes.ts";
import { isFullRun } from "../support/full.ts";
import { type Api, startApi } from "./api.ts";
import { AVERAGE_TPS_RULES } from "./average-tps.ts";
import { CHAIN_METRIC_RULES } from "./chain-metric.ts";
import { CHAIN_RULES } from "./chains.ts";
import { DELEGATOR_RULES } from "./delegators.ts";
import { DEPLOYMENT_RULES } from "./deployments.ts";
import { ERC20_TRANSFER_RULES } from "./erc20-transfers.ts";
import { EVM_BLOCK_RULES } from "./evm-blocks.ts";
import { HOLDERS_ABOVE_RULES } from "./holders-above.ts";
import { INTERNAL_TRANSACTION_RULES } from "./internal-transactions.ts";
import { L1_VALIDATOR_RULES } from "./l1-validators.ts";
import { NATIVE_BALANCE_RULES } from "./native-balance.ts";
import { NODE_BLOCK_RULES } from "./node-blocks.ts";
import { OPERATION_RULES } from "./operations.ts";
import { PATH_RULES } from "./paths.ts";
import { PRIMARY_BALANCE_RULES } from "./primary-balances.ts";
import { PRIMARY_TRANSACTION_RULES } from "./primary-transactions.ts";
import { REWARD_RULES } from "./rewards.ts";
import type { Rule } from "./rule.ts";
import { SIGNATURE_RULES } from "./signatures.ts";
import { SUBNET_RULES } from "./subnets.ts";
import { VALIDATOR_RULES } from "./validators.ts";
import { VERTEX_RULES } from "./vertices.ts";

const RULES: readonly Rule[] = [
  ...REWARD_RULES,
  ...VALIDATOR_RULES,
  ...DELEGATOR_RULES,
  ...L1_VALIDATOR_RULES,
  ...PRIMARY_TRANSACTION_RULES,
  ...DEPLOYMENT_RULES,
  ...INTERNAL_TRANSACTION_RULES,
  ...ERC20_TRANSFER_RULES,
  ...EVM_BLOCK_RULES,
  ...CHAIN_RULES,
  ...NATIVE_BALANCE_RULES,
  ...SUBNET_RULES,
  ...PRIMARY_BALANCE_RULES,
  ...NODE_BLOCK_RULES,
  ...VERTEX_RULES,
  ...OPERATION_RULES,
  ...SIGNATURE_RULES,
  ...HOLDERS_ABOVE_RULES,
  ...AVERAGE_TPS_RULES,
  ...CHAIN_METRIC_RULES,
];

const routeOf = ({ id }: Rule) => id.split(".")[0] as string;

describe("the rules", () => {
  it("have unique ids", () => {
    expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
  });

  it("belong to one route each, and every route has rules", () => {
    const ruled = new Set(RULES.filter(({ id }) => /\.\d+$/.test(id)).map(routeOf));
    expect([...new Set(RULES.map(routeOf))].sort()).toEqual(ROUTES.map(({ id }) => id).sort());
    expect([...ruled].sort()).toEqual(ROUTES.map(({ id }) => id).sort());
  });

  it("set a statement budget for every route", () => {
    const budgeted = RULES.filter(({ id }) => id.endsWith(".S1")).map(routeOf);
    expect(budgeted.sort()).toEqual(ROUTES.map(({ id }) => id).sort());
  });
});

describe("the stack over the recording", () => {
  let api: Api;
  beforeAll(async () => {
    api = await startApi({ signatures: true });
  });
  afterAll(() => api[Symbol.asyncDispose]());

  describe("on any path", () => {
    it.each(PATH_RULES)("$id $level $title", ({ check }) => check(api));
  });

  describe.each(ROUTES)("$id $method $path", ({ id }) => {
    it.each(RULES.filter((rule) => routeOf(rule) === id))("$id $level $title", ({ check }) => check(api));
  });

  it("answers generated hostile requests in the documented form", async () => {
    const url = `http://127.0.0.1:${api.port}`;
    const schema = createPassThrough(committedSupergraph(), []).schema;
    const known = await readKnownValues(url);
    const report = await attack({ url, schema, known, seed: 15, from: 0, to: isFullRun ? 20_000 : 100 });
    expect(reportText(report, { url, seed: 15, seconds: 0, memory: [], printsAll: false })).toMatch(
      /^0 answers without the documented form$/m,
    );
  });
});
