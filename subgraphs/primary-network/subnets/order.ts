import { Field, InputType } from "type-graphql";
import { descending, type Order, sorted } from "../../shared/rows/keyset.ts";
import { graphEnum } from "../../shared/schema/graph-enum.ts";
import { SortOrder } from "../../shared/schema/sort-order.ts";

export type SubnetKind = "PRIMARY" | "PERMISSIONED" | "ELASTIC" | "L1";

export const ALL_KINDS: readonly SubnetKind[] = ["PRIMARY", "PERMISSIONED", "ELASTIC", "L1"];

export const SubnetKind = graphEnum<SubnetKind>({
  name: "SubnetKind",
  description: "Who can validate a subnet.",
  values: {
    PRIMARY: "The primary network: whoever stakes AVAX.",
    PERMISSIONED: "Whom the owner of the subnet adds.",
    ELASTIC: "Whoever stakes the asset of the subnet.",
    L1: "Whom the validator manager of the L1 registers.",
  },
});

type SubnetOrderField = "CREATION_TIME" | "VALIDATOR_COUNT" | "TOTAL_WEIGHT";

const SubnetOrderField = graphEnum<SubnetOrderField>({
  name: "SubnetOrderField",
  description: "What subnets are sorted by.",
  values: {
    CREATION_TIME: "Creation. The primary network is the oldest.",
    VALIDATOR_COUNT: "`Subnet.validatorCount`.",
    TOTAL_WEIGHT: "`Subnet.totalWeight`. Weights of different subnets have different units.",
  },
});

@InputType({ description: "Order of subnets." })
export class SubnetOrder {
  @Field(() => SubnetOrderField, { defaultValue: "CREATION_TIME", description: "What the list is sorted by." })
  field!: SubnetOrderField;

  @Field(() => SortOrder, { defaultValue: "desc", description: "Direction." })
  direction!: SortOrder;
}

/** Columns of `subnet_totals` before the position in the order of creation, with their types. */
const COLUMNS = {
  CREATION_TIME: {},
  VALIDATOR_COUNT: { validator_count: "bigint" },
  TOTAL_WEIGHT: { total_weight: "numeric" },
} as const satisfies Record<SubnetOrderField, object>;

/** The order of the rows of `subnet_totals`. */
export const orderOf = ({ field, direction }: SubnetOrder): Order =>
  sorted(descending({ ...COLUMNS[field], subnet_seq: "bigint" }), direction);
