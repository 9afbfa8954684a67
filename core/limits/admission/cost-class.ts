import { type DocumentNode, Kind, visit } from "graphql";
import { VALUES_PER_ROW } from "../../graph/cost.ts";
import type { OperationCost } from "../../graph/operation-cost.ts";
import type { CostClass } from "../../work/work.ts";

/** Returns the class of an operation with these variables, which has this cost; null if the operation never waits, as a probe does. */
export type CostClassOf = (variables: Readonly<Record<string, unknown>>, cost: OperationCost) => CostClass | null;

/** Answers with at most this number of values are light: a page of 100 transfers has 2,800 in 100 rows, and takes 3 ms. */
const MAX_LIGHT_VALUES = 9_000;
/** Each item of a list in the arguments counts as this number of values: a page of transactions of 200 addresses is heavy. */
const VALUES_PER_LISTED_ITEM = 100;

/** Root fields that describe the service itself. */
const PROBES: ReadonlySet<string> = new Set(["__typename", "health", "liveness", "readiness"]);
/** An operation that waits for nodes or validators takes no place of light ones, so it may read only this number of other values. */
const MAX_REMOTE_VALUES = 1_000;
/** The cost of an aggregation, or of 100 calls to nodes: more would keep others waiting for the nodes for too long. */
const MAX_REMOTE_COST = 100_000;
/** The root field of the node interface. Fields of the same name in other types read the database. */
const NODE_FIELD = "node";
/** Fields that wait for nodes or validators. */
const REMOTE_FIELDS: ReadonlySet<string> = new Set([
  "aggregateSignatures",
  "aggregateTransactionSignatures",
  "isApproximate",
  "isContract",
  "isSupplyApproximate",
  "nativeBalance",
  "peer",
  "signatureProgress",
]);

/** Compiles the class of a valid document's operation. */
export function compileCostClass(document: DocumentNode): CostClassOf {
  const { fields, rootFields, listedItems } = contentsOf(document);
  if (rootFields.every((name) => PROBES.has(name))) return () => null;
  const isRemote = rootFields.includes(NODE_FIELD) || fields.some((name) => REMOTE_FIELDS.has(name));
  const maxValues = isRemote ? MAX_REMOTE_VALUES : MAX_LIGHT_VALUES;
  return (variables, { rows, values, remoteValues }) => {
    const size = values - remoteValues + (isRemote ? 0 : rows * VALUES_PER_ROW);
    const items = listedItems + itemsIn(Object.values(variables));
    const isHeavy = remoteValues > MAX_REMOTE_COST || size + items * VALUES_PER_LISTED_ITEM > maxValues;
    if (isRemote) return isHeavy ? "heavyRemote" : "remote";
    return isHeavy ? "heavy" : "light";
  };
}

interface Contents {
  readonly fields: readonly string[];
  readonly rootFields: readonly string[];
  /** Number of items of lists that stand in the document. */
  readonly listedItems: number;
}

function contentsOf(document: DocumentNode): Contents {
  const fields: string[] = [];
  const rootFields: string[] = [];
  let listedItems = 0;
  let depth = 0;
  visit(document, {
    Field: {
      enter({ name }) {
        fields.push(name.value);
        if (depth === 0) rootFields.push(name.value);
        depth++;
      },
      leave() {
        depth--;
      },
    },
    [Kind.LIST]: ({ values }) => {
      listedItems += values.length;
    },
  });
  return { fields, rootFields, listedItems };
}

/** Items of lists among the values of variables, and one level below, where input objects have theirs. */
function itemsIn(values: readonly unknown[], isNested = false): number {
  let items = 0;
  for (const value of values)
    if (Array.isArray(value)) items += value.length;
    else if (!isNested && typeof value === "object" && value !== null) items += itemsIn(Object.values(value), true);
  return items;
}
