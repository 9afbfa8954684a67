import { Field, InputType } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";
import { descending, endsOfRange, type Order, sorted } from "../../shared/rows/keyset.ts";
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

/** The column that a list is sorted by. */
export const columnOf = ({ field }: L1ValidatorOrder) => COLUMNS[field];

/** The order of the rows of `l1_validators`. */
export const orderOf = ({ field, direction }: L1ValidatorOrder): Order =>
  sorted(descending({ [COLUMNS[field].column]: COLUMNS[field].type, validator_seq: "bigint" }), direction);

/** The range of the column, given the fees that have accrued so far; 0 for other fields than the balance. */
export function rangeOf({ field, from, to }: L1ValidatorOrder, accruedFees: bigint): [from: string, to: string] {
  // The column of an inactive validator is 0, which is less than the accrued fees.
  const columnAt = (balance: bigint) => (field === "BALANCE" && balance > 0n ? balance + accruedFees : balance);
  const within = (value: string) => {
    const found = columnAt(BigInt(value));
    return String(found < MOST ? found : MOST);
  };
  return [from == null ? "0" : within(from), to == null ? String(MOST) : within(to)];
}

/** Positions before the first and after the last row of a list. */
export const endsOf = (order: L1ValidatorOrder, range: readonly [string, string]) =>
  endsOfRange(orderOf(order), ...range);
