import type { GraphQLEnumType } from "graphql";

/** How REST writes the values of an enum, whose names in the graph are in upper case with `_` between words: in another case, or by a table. */
type Style = "lower" | "camel" | "pascal" | Readonly<Record<string, string>>;

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
  PrimaryNetworkTxType: "pascal",
  SharedBalanceStatus: "camel",
  SortOrder: "lower",
  TimeInterval: "lower",
  TransactionStatus: { FAILED: "0", SUCCESS: "1" },
  ValidationStatus: "lower",
};

/** Values that REST writes like those of enums without a style. */
const UNCHANGED: ReadonlySet<string> = new Set(["UNKNOWN"]);

/** The value of an enum in REST, where `name` is its name in the graph. */
export function enumText(type: string, name: string): string {
  const style = STYLES[type];
  if (style === undefined || UNCHANGED.has(name)) return name;
  if (typeof style === "object") return style[name] ?? name;
  const lower = name.toLowerCase();
  if (style === "lower") return lower;
  const camel = lower.replaceAll(/_(.)/g, (_, first: string) => first.toUpperCase());
  return style === "camel" ? camel : camel.charAt(0).toUpperCase() + camel.slice(1);
}

/** The names in the graph of an enum's values, by their text in REST, in the order of the schema. */
export function namesByText(type: GraphQLEnumType): ReadonlyMap<string, string> {
  return new Map(type.getValues().map(({ name }) => [enumText(type.name, name), name]));
}
