import { Field, InputType } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";
import { descending, type Order, sorted } from "../../shared/rows/keyset.ts";
import { graphEnum } from "../../shared/schema/graph-enum.ts";
import { SortOrder } from "../../shared/schema/sort-order.ts";

type L1ValidatorOrderField = "CREATION_TIME" | "WEIGHT" | "BALANCE";

const L1ValidatorOrderField = graphEnum<L1ValidatorOrderField>({
  name: "L1ValidatorOrderField",
  description: "What L1 validators are sorted by.",
  values: {
    CREATION_TIME: "Time of registration.",
    WEIGHT: "Weight.",
    BALANCE: "Remaining balance. That of a validator that is not active is 0.",
  },
});

const MOST = 2n ** 63n - 1n;

/** The column of each field, and its type. The balance is the difference of its column and the fees that have accrued so far. */
const COLUMNS = {
  CREATION_TIME: { column: "creation_timestamp", type: "bigint" },
  WEIGHT: { column: "weight", type: "numeric" },
  BALANCE: { column: "end_accumulated_fee", type: "numeric" },
} as const satisfies Record<L1ValidatorOrderField, object>;

const UNITS =
  "The unit is that of the field: seconds for the time, nAVAX for the balance. The balance changes with every block; each page compares the current one.";

@InputType({ description: "Order of L1 validators, and the range of the value by which they are sorted." })
export class L1ValidatorOrder {
  @Field(() => L1ValidatorOrderField, { defaultValue: "CREATION_TIME", description: "What the list is sorted by." })
  field!: L1ValidatorOrderField;

  @Field(() => SortOrder, { defaultValue: "desc", description: "Direction." })
  direction!: SortOrder;

  @Field(() => Quantity, { nullable: true, description: `Lowest value of the field (inclusive). ${UNITS}` })
  from?: string | null;

  @Field(() => Quantity, { nullable: true, description: `Highest value of the field (exclusive). ${UNITS}` })
  to?: string | null;
}

export const NEWEST_L1: L1ValidatorOrder = { field: "CREATION_TIME", direction: "desc" };

/** The order of the rows of `l1_validators`. */
export const orderOf = ({ field, direction }: Pick<L1ValidatorOrder, "field" | "direction">): Order =>
  sorted(descending({ [COLUMNS[field].column]: COLUMNS[field].type, validator_seq: "bigint" }), direction);

/** The range of a list, as `isInRange` compares it. */
export function rangeOf({ from, to }: L1ValidatorOrder): [from: string, to: string] {
  const within = (value: string) => String(BigInt(value) < MOST ? BigInt(value) : MOST);
  return [from == null ? "0" : within(from), to == null ? String(MOST) : within(to)];
}

/** Fees that an active validator of the network `$1` has accrued since the beginning. */
export const ACCRUED_FEES = "(SELECT p.l1_accrued_fees FROM p_chain_states p WHERE p.network_id = $1)";

/** SQL: the row `t` has a value of the field from `from` to before `to`. */
export function isInRange({ field }: Pick<L1ValidatorOrder, "field">, from: string, to: string): string {
  const { column, type } = COLUMNS[field];
  // The column of an inactive validator is 0, which is less than the accrued fees.
  const columnAt = (value: string) =>
    field === "BALANCE"
      ? `CASE WHEN ${value}::numeric > 0 THEN ${value}::numeric + ${ACCRUED_FEES} ELSE 0 END`
      : `${value}::${type}`;
  return `t.${column} >= ${columnAt(from)} AND t.${column} < ${columnAt(to)}`;
}
