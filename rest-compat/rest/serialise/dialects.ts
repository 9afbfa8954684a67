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

/** A member that a dialect calls otherwise. Of those that it calls the same only one may have a value. */
export type KeyRule = {
  readonly id: string;
  /** GraphQL type and field whose value it is. */
  readonly type: string;
  readonly field: string;
} & { readonly [Name in Dialect]?: string };

/** A member that a dialect writes as null where it has no value, in place of leaving it out. */
export interface NullRule {
  readonly id: string;
  readonly dialect: Dialect;
  /** GraphQL type and field whose value it is. */
  readonly type: string;
  readonly field: string;
}

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

const TRANSACTIONS = { type: "PrimaryNetworkTransactionPage", hosted: "transactions" } as const;

/** Members that the dialects call differently: lists of X and C have shapes of their own, and the merged one is left to P. */
export const KEY_RULES: readonly KeyRule[] = [
  { id: "D5", field: "pChainTransactions", ...TRANSACTIONS },
  { id: "D5", field: "xChainTransactions", ...TRANSACTIONS },
  { id: "D6", field: "cChainTransactions", ...TRANSACTIONS },
];

/** Members that a dialect must have, though nothing is known of them. */
export const NULL_RULES: readonly NullRule[] = [
  { id: "D8", dialect: "hosted", type: "Validator", field: "geolocation" },
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

/** What the dialect calls a member in a way of its own; undefined when it does not. */
export function keyRule(dialect: Dialect, type: string, field: string): string | undefined {
  return KEY_RULES.find((rule) => rule.type === type && rule.field === field)?.[dialect];
}

/** Whether the dialect writes a field that has no value as null. */
export function writesNull(dialect: Dialect, type: string, field: string): boolean {
  return NULL_RULES.some((rule) => rule.dialect === dialect && rule.type === type && rule.field === field);
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
