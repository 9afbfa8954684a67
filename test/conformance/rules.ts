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
import { PRIMARY_BALANCE_RULES } from "./primary-balances.ts";
import { PRIMARY_TRANSACTION_RULES } from "./primary-transactions.ts";
import { REWARD_RULES } from "./rewards.ts";
import type { Rule } from "./rule.ts";
import { SIGNATURE_RULES } from "./signatures.ts";
import { SUBNET_RULES } from "./subnets.ts";
import { VALIDATOR_RULES } from "./validators.ts";
import { VERTEX_RULES } from "./vertices.ts";

/** The rules of all routes. */
export const RULES: readonly Rule[] = [
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

/** The id of the route that a rule belongs to. */
export const routeOf = ({ id }: Rule) => id.split(".")[0] as string;
