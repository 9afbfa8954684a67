import type { AnswerForm, WriteValue } from "../../../core/graph/answer-text.ts";
import { genesisText } from "../../node/genesis-text.ts";
import type { Dialect } from "../../routes.ts";
import { enumText } from "../enum-texts.ts";

/** How dialects write the values of a field. A dialect without a function writes the graph's value. */
export type ValueRule = {
  readonly id: string;
  /** The GraphQL types and the field of the value. */
  readonly types: readonly string[];
  readonly field: string;
} & { readonly [Name in Dialect]?: WriteValue };

/** Another name for a member in a dialect. Of members with the same name in a dialect, only one may have a value. */
export type KeyRule = {
  readonly id: string;
  /** The GraphQL type and the field of the value. */
  readonly type: string;
  readonly field: string;
} & { readonly [Name in Dialect]?: string };

/** A member that a dialect writes as null if it has no value. Other members are omitted. */
export interface NullRule {
  readonly id: string;
  readonly dialect: Dialect;
  /** The GraphQL type and the field of the value. */
  readonly type: string;
  readonly field: string;
}

export interface StatusRule {
  readonly id: string;
  readonly routes: readonly string[];
  /** The status of a success in the hosted dialect. In the REST specification it is 200. */
  readonly hosted: number;
}

const BOTH_AS_NUMBER = { contract: decimalAsNumber, hosted: decimalAsNumber } as const;

/** Fields whose values a dialect writes in another form than the graph. */
const VALUE_RULES: readonly ValueRule[] = [
  { id: "D2", types: ["Price"], field: "value", hosted: decimalAsNumber },
  { id: "D3", types: ["Erc20Holder"], field: "balance", contract: decimalAsNumber },
  { id: "D4", types: ["Erc721TokenMetadata", "Erc1155TokenMetadata"], field: "indexStatus", contract: lowerCase },
  { id: "D11", types: ["Erc721TokenMetadata"], field: "attributes", contract: jsonText, hosted: jsonText },
  { id: "D11", types: ["Erc1155TokenMetadata"], field: "properties", contract: jsonText, hosted: jsonText },
  { id: "D9", types: ["ChainMetricValue"], field: "value", hosted: decimalAsNumber },
  // Integers of 64 bits and more. In the graph they are strings, because most clients read a JSON number as a double.
  { id: "D10", types: ["PrimaryNetworkUtxo"], field: "platformLocktime", ...BOTH_AS_NUMBER },
  { id: "D10", types: ["PrimaryNetworkUtxo"], field: "stakeableLocktime", ...BOTH_AS_NUMBER },
  { id: "D10", types: ["Subnet", "SubnetOwnershipInfo"], field: "locktime", ...BOTH_AS_NUMBER },
  { id: "D10", types: ["L1Validator", "L1ValidatorDetailsTransaction"], field: "weight", ...BOTH_AS_NUMBER },
  { id: "D10", types: ["L1Validator", "L1ValidatorDetailsTransaction"], field: "remainingBalance", ...BOTH_AS_NUMBER },
  { id: "D10", types: ["L1ValidatorDetailsTransaction"], field: "balanceChange", ...BOTH_AS_NUMBER },
  { id: "D10", types: ["PrimaryNetworkBlock"], field: "l1ValidatorsAccruedFees", ...BOTH_AS_NUMBER },
  { id: "D10", types: ["Blockchain"], field: "evmChainId", ...BOTH_AS_NUMBER },
  { id: "D10", types: ["ProposerDetails"], field: "proposerPChainHeight", ...BOTH_AS_NUMBER },
  { id: "D10", types: ["TransactionVertex"], field: "height", ...BOTH_AS_NUMBER },
  { id: "D10", types: ["XChainVertex"], field: "vertexHeight", ...BOTH_AS_NUMBER },
  { id: "D10", types: ["XChainVertex"], field: "vertexIndex", ...BOTH_AS_NUMBER },
  {
    id: "D10",
    types: ["Blockchain", "BlockchainInfo"],
    field: "genesisData",
    contract: genesisText,
    hosted: genesisText,
  },
];

const TRANSACTIONS = { type: "PrimaryNetworkTransactionConnection", hosted: "transactions" } as const;

/** Members with different names. In the hosted dialect the transactions of all chains are in one member, `transactions`. */
const KEY_RULES: readonly KeyRule[] = [
  { id: "D5", field: "pChainTransactions", ...TRANSACTIONS },
  { id: "D5", field: "xChainTransactions", ...TRANSACTIONS },
  { id: "D6", field: "cChainTransactions", ...TRANSACTIONS },
];

/** Members that a dialect requires, although Moraine does not know their values. */
const NULL_RULES: readonly NullRule[] = [{ id: "D8", dialect: "hosted", type: "Validator", field: "geolocation" }];

const STATUS_RULES: readonly StatusRule[] = [{ id: "D1", routes: ["E1", "E2", "E3"], hosted: 201 }];

/** The status of a success of a route. */
export function successStatus(dialect: Dialect, routeId: string): number {
  const rule = STATUS_RULES.find(({ routes }) => routes.includes(routeId));
  return dialect === "hosted" && rule ? rule.hosted : 200;
}

/** How the dialect writes the values of a field; undefined if it writes the graph's values. */
export function valueRule(dialect: Dialect, type: string, field: string): WriteValue | undefined {
  return VALUE_RULES.find((rule) => rule.types.includes(type) && rule.field === field)?.[dialect];
}

/** The dialect's name for a member; undefined if it has the graph's name. */
function keyRule(dialect: Dialect, type: string, field: string): string | undefined {
  return KEY_RULES.find((rule) => rule.type === type && rule.field === field)?.[dialect];
}

/** True if the dialect writes null for a field without a value. */
function writesNull(dialect: Dialect, type: string, field: string): boolean {
  return NULL_RULES.some((rule) => rule.dialect === dialect && rule.type === type && rule.field === field);
}

/** The form of a dialect. Members without a value are omitted, except those of `NULL_RULES`. */
export function formOfDialect(dialect: Dialect): AnswerForm {
  return {
    valueOf: (type, field) => valueRule(dialect, type, field),
    keyOf: (type, field) => keyRule(dialect, type, field),
    writesNull: (type, field) => writesNull(dialect, type, field),
    enumText,
  };
}

/** Keeps the digits, because a double would lose some of them. */
function decimalAsNumber(value: unknown): string {
  const text = String(value);
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? text : JSON.stringify(Number(text));
}

/** A string that is the JSON of the value. */
function jsonText(value: unknown): string {
  return JSON.stringify(JSON.stringify(value));
}

/** The REST specification has `indexed` in lower case; the graph's enum has its values in upper case. */
function lowerCase(value: unknown): string {
  return JSON.stringify(String(value).toLowerCase());
}
