/** Two ways to write the same answers: the contract's, and the one that the hosted product's typed clients insist on. */
export type Dialect = "contract" | "hosted";

/** JSON text of a field's value as it comes from the graph. */
export type WriteValue = (value: unknown) => string;

/** How a dialect writes a value in a way of its own; a dialect that is not there writes what the graph gives. */
export type ValueRule = {
  readonly id: string;
  /** GraphQL types and field whose value it is. */
  readonly types: readonly string[];
  readonly field: string;
} & { readonly [Name in Dialect]?: WriteValue };

export interface StatusRule {
  readonly id: string;
  readonly routes: readonly string[];
  /** Status of success in the hosted dialect, 200 in the contract. */
  readonly hosted: number;
}

/** Values that the dialects write differently. */
export const VALUE_RULES: readonly ValueRule[] = [
  { id: "D2", types: ["Price"], field: "value", hosted: decimalAsNumber },
  { id: "D4", types: ["Erc721TokenMetadata", "Erc1155TokenMetadata"], field: "indexStatus", contract: lowerCase },
];

export const STATUS_RULES: readonly StatusRule[] = [{ id: "D1", routes: ["E1", "E2", "E3"], hosted: 201 }];

/** Status of success of a route. */
export function successStatus(dialect: Dialect, routeId: string): number {
  const rule = STATUS_RULES.find(({ routes }) => routes.includes(routeId));
  return dialect === "hosted" && rule ? rule.hosted : 200;
}

/** How the dialect writes a field in a way of its own; undefined when it does not. */
export function valueRule(dialect: Dialect, type: string, field: string): WriteValue | undefined {
  return VALUE_RULES.find((rule) => rule.types.includes(type) && rule.field === field)?.[dialect];
}

/** Digits stay as they are: a float would lose some of a price's. */
function decimalAsNumber(value: unknown): string {
  const text = String(value);
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? text : JSON.stringify(Number(text));
}

/** The contract shows the word `indexed`; the graph has it, and its siblings, in upper case. */
function lowerCase(value: unknown): string {
  return JSON.stringify(String(value).toLowerCase());
}
