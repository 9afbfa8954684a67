import type { GraphQLEnumType } from "graphql";

/** How REST writes the values of an enum, whose names in the graph are in upper case with `_` between words. */
type Style = "lower" | "camel" | "pascal";

/** By the name of the enum. REST writes the values of all other enums as the graph does. */
const STYLES: Readonly<Record<string, Style>> = {
  ApiFeature: "camel",
  ChainMetric: "camel",
  CurrencyCode: "lower",
  DelegationStatus: "lower",
  Network: "lower",
  OperationCode: "pascal",
  PrimaryNetworkAssetCap: "lower",
  PrimaryNetworkAssetType: "lower",
  PrimaryNetworkOutputKind: "lower",
  PrimaryNetworkTxType: "pascal",
  SharedBalanceStatus: "camel",
  SortOrder: "lower",
  TimeInterval: "lower",
  ValidationStatus: "lower",
};

/** Values for which REST has another text, or no text of their own. */
const EXCEPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  PrimaryNetworkTxType: {
    ADD_AUTO_RENEWED_VALIDATOR_TX: "UNKNOWN",
    SET_AUTO_RENEWED_VALIDATOR_CONFIG_TX: "UNKNOWN",
    REWARD_AUTO_RENEWED_VALIDATOR_TX: "UNKNOWN",
    UNKNOWN: "UNKNOWN",
  },
  TransactionStatus: { FAILED: "0", SUCCESS: "1" },
};

/** The value of an enum in REST, where `name` is its name in the graph. */
export function enumText(type: string, name: string): string {
  const exception = EXCEPTIONS[type]?.[name];
  if (exception !== undefined) return exception;
  const style = STYLES[type];
  if (style === undefined) return name;
  const lower = name.toLowerCase();
  if (style === "lower") return lower;
  const camel = lower.replaceAll(/_(.)/g, (_, first: string) => first.toUpperCase());
  return style === "camel" ? camel : camel.charAt(0).toUpperCase() + camel.slice(1);
}

/** The names in the graph of an enum's values, by their text in REST. */
export function namesByText(type: GraphQLEnumType): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const { name } of type.getValues()) {
    const text = enumText(type.name, name);
    names.set(text, [...(names.get(text) ?? []), name]);
  }
  return names;
}
