import { FieldResolver, Resolver, Root } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";
import { DelegatorConnection } from "../delegators/types.ts";
import { L1ValidatorConnection } from "../l1-validators/types.ts";
import { ValidatorConnection } from "../validators/types.ts";
import { TOTAL_WEIGHT } from "./totals.ts";

const weightOf = async ({ totals }: Pick<ValidatorConnection, "totals">): Promise<string | null> =>
  (await totals?.())?.weight ?? null;

@Resolver(() => ValidatorConnection)
export class ValidatorTotalsResolver {
  @FieldResolver(() => Quantity, { nullable: true, description: TOTAL_WEIGHT })
  totalWeight(@Root() page: ValidatorConnection): Promise<string | null> {
    return weightOf(page);
  }
}

@Resolver(() => DelegatorConnection)
export class DelegatorTotalsResolver {
  @FieldResolver(() => Quantity, { nullable: true, description: TOTAL_WEIGHT })
  totalWeight(@Root() page: DelegatorConnection): Promise<string | null> {
    return weightOf(page);
  }
}

@Resolver(() => L1ValidatorConnection)
export class L1ValidatorTotalsResolver {
  @FieldResolver(() => Quantity, {
    nullable: true,
    description: "Weight of all validators of the list. Null for a list by a range of values: no counter has it.",
  })
  totalWeight(@Root() page: L1ValidatorConnection): Promise<string | null> {
    return weightOf(page);
  }
}
