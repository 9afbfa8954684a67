import { registerEnumType } from "type-graphql";

export const RewardType = { VALIDATOR: "VALIDATOR", DELEGATOR: "DELEGATOR", VALIDATOR_FEE: "VALIDATOR_FEE" } as const;
export type RewardType = keyof typeof RewardType;

registerEnumType(RewardType, {
  name: "RewardType",
  description: "Reason for a staking reward.",
  valuesConfig: {
    VALIDATOR: { description: "Reward for validating." },
    DELEGATOR: { description: "Reward for delegating." },
    VALIDATOR_FEE: { description: "The validator's share of its delegators' rewards." },
  },
});
