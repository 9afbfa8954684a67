/** Two ways to write the same answers: the contract's, and the one that the hosted product's typed clients insist on. */
export type Dialect = "contract" | "hosted";

/** JSON text of a field's value as it comes from the graph. */
export type WriteValue = (value: unknown) => string;

export interface ValueRule {
  readonly id: string;
  /** GraphQL type and field whose value the hosted dialect writes in another way. */
  readonly type: string;
  readonly field: string;
  readonly hosted: WriteValue;
}

export interface StatusRule {
  readonly id: string;
  readonly routes: readonly string[];
  /** Status of success in the hosted dialect, 200 in the contract. */
  readonly hosted: number;
}

/** Values that the hosted dialect writes differently; the graph gives the contract's. */
export const VALUE_RULES: readonly ValueRule[] = [{ id: "D2", type: "Price", field: "value", hosted: decimalAsNumber }];

export const STATUS_RULES: readonly StatusRule[] = [{ id: "D1", routes: ["E1", "E2", "E3"], hosted: 201 }];

/** Status of success of a route. */
export function successStatus(dialect: Dialect, routeId: string): number {
  const rule = STATUS_RULES.find(({ routes }) => routes.includes(routeId));
  return dialect === "hosted" && rule ? rule.hosted : 200;
}

/** How the dialect writes a field in a way of its own; undefined when it does not. */
export function valueRule(dialect: Dialect, type: string, field: string): WriteValue | undefined {
  if (dialect === "contract") return undefined;
  return VALUE_RULES.find((rule) => rule.type === type && rule.field === field)?.hosted;
}

/** Digits stay as they are: a float would lose some of a price's. */
function decimalAsNumber(value: unknown): string {
  const text = String(value);
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? text : JSON.stringify(Number(text));
}
