import { type ClassType, Field, InputType } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";
import { descending, endsOfRange, type Order, sorted } from "../../shared/rows/keyset.ts";
import { graphEnum } from "../../shared/schema/graph-enum.ts";
import { SortOrder } from "../../shared/schema/sort-order.ts";

export type StakerOrderField = "START_TIME" | "END_TIME" | "WEIGHT" | "DELEGATION_FEE";

const ValidatorOrderField = graphEnum<StakerOrderField>({
  name: "ValidatorOrderField",
  description: "What validations are sorted by.",
  values: {
    START_TIME: "Start time.",
    END_TIME: "Scheduled end time.",
    WEIGHT: "Weight without delegations. It is the stake, except on a permissioned subnet.",
    DELEGATION_FEE: "Delegation fee. Validations to which nobody can delegate are left out.",
  },
});

const DelegatorOrderField = graphEnum<Exclude<StakerOrderField, "DELEGATION_FEE">>({
  name: "DelegatorOrderField",
  description: "What delegations are sorted by.",
  values: { START_TIME: "Start time.", END_TIME: "End time.", WEIGHT: "Amount that is delegated." },
});

/** The members of a row that lists are sorted by. */
interface SortedRow {
  readonly startTimestamp: string;
  readonly endTimestamp: string;
  readonly weight: string;
  readonly shares: number | null;
  readonly stakerSeq: string;
}

/** The column of each field, with its type, the value in a row, and values below and above those of all rows. */
const COLUMNS = {
  START_TIME: {
    column: "start_timestamp",
    type: "bigint",
    valueOf: (row: SortedRow) => row.startTimestamp,
    most: 2n ** 63n - 1n,
  },
  END_TIME: {
    column: "end_timestamp",
    type: "bigint",
    valueOf: (row: SortedRow) => row.endTimestamp,
    most: 2n ** 63n - 1n,
  },
  WEIGHT: { column: "weight", type: "numeric", valueOf: (row: SortedRow) => row.weight, most: 2n ** 64n },
  DELEGATION_FEE: {
    column: "shares",
    type: "int",
    valueOf: (row: SortedRow) => String(row.shares),
    most: 2n ** 31n - 1n,
  },
} as const satisfies Record<StakerOrderField, object>;

/** The order of a list, and the range of the values by which it is sorted. */
export interface StakerOrder {
  readonly field: StakerOrderField;
  readonly direction: SortOrder;
  /** From this value (inclusive); null: from the lowest. */
  readonly from: string | null;
  /** To this value (exclusive); null: to the highest. */
  readonly to: string | null;
}

export const LATEST_START: StakerOrder = { field: "START_TIME", direction: "desc", from: null, to: null };

/** The column that a list is sorted by. */
export const columnOf = (field: StakerOrderField) => COLUMNS[field];

/** The order of the rows of `stakers`. */
export const orderOf = ({ field, direction }: Pick<StakerOrder, "field" | "direction">): Order => {
  const { column, type } = COLUMNS[field];
  return sorted(descending({ [column]: type, staker_seq: "bigint" }), direction);
};

/** The range of values of a list, in the type of its column. */
export function rangeOf({ field, from, to }: StakerOrder): [from: string, to: string] {
  const { most } = COLUMNS[field];
  const within = (value: string) => String(BigInt(value) < most ? BigInt(value) : most);
  return [from === null ? "0" : within(from), to === null ? String(most) : within(to)];
}

/**
 * SQL: the row `t` has a value of the field from `from` to before `to`. It has a value: that of a validation to which nobody can delegate has
 * no delegation fee.
 */
export function isInRange(field: StakerOrderField, from: string, to: string): string {
  const { column, type } = COLUMNS[field];
  const isNotNull = field === "DELEGATION_FEE" ? `t.${column} IS NOT NULL AND ` : "";
  return `${isNotNull}t.${column} >= ${from}::${type} AND t.${column} < ${to}::${type}`;
}

/** Positions before the first and after the last row of a list. */
export const endsOf = (order: StakerOrder) => endsOfRange(orderOf(order), ...rangeOf(order));

export const stakerPosition = ({ field }: Pick<StakerOrder, "field">, row: SortedRow): string[] => [
  COLUMNS[field].valueOf(row),
  row.stakerSeq,
];

const UNITS =
  "The unit is that of the field: seconds for times, the smallest unit of the asset for weights, millionths for the delegation fee (20000 is 2 percent).";

/** Base class of an input with the order of a list of stakers. */
function StakerOrderInput<OrderField extends StakerOrderField>(fields: Readonly<Record<string, OrderField>>) {
  @InputType()
  abstract class Input {
    @Field(() => fields, { defaultValue: "START_TIME", description: "What the list is sorted by." })
    field!: OrderField;

    @Field(() => SortOrder, { defaultValue: "desc", description: "Direction." })
    direction!: SortOrder;

    @Field(() => Quantity, { nullable: true, description: `Lowest value of the field (inclusive). ${UNITS}` })
    from?: string | null;

    @Field(() => Quantity, { nullable: true, description: `Highest value of the field (exclusive). ${UNITS}` })
    to?: string | null;
  }
  return Input as ClassType<Input> & typeof Input;
}

@InputType({ description: "Order of validations, and the range of the value by which they are sorted." })
export class ValidatorOrder extends StakerOrderInput(ValidatorOrderField) {}

@InputType({ description: "Order of delegations, and the range of the value by which they are sorted." })
export class DelegatorOrder extends StakerOrderInput(DelegatorOrderField) {}

/** The order of a list's arguments; latest start first by default. */
export function parseOrder(given: ValidatorOrder | DelegatorOrder | null | undefined): StakerOrder {
  if (!given) return LATEST_START;
  const { field, direction, from = null, to = null } = given;
  return { field, direction, from, to };
}
