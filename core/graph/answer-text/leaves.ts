import { type GraphQLNamedType, isEnumType } from "graphql";
import type { Write } from "./writer.ts";

/** Scalars whose values are JSON numbers, `true` or `false`. */
const NUMERIC: ReadonlySet<string> = new Set(["Int", "Float", "Boolean", "Timestamp", "Integer"]);

/** Scalars whose values never contain a character that JSON escapes. */
const UNESCAPED: ReadonlySet<string> = new Set(["Quantity", "Address", "Hash", "Hex", "Id", "NodeId"]);

/** How a value of the graph is written: `from` is the value of a scalar or enum after its serialisation. */
export function leafOf(type: GraphQLNamedType): Write {
  if (NUMERIC.has(type.name)) return (from) => [{ code: from }];
  if (isEnumType(type) || UNESCAPED.has(type.name))
    return (from) => [{ literal: '"' }, { code: from }, { literal: '"' }];
  return (from) => [{ code: `${type.name === "String" ? "escaped" : "JSON.stringify"}(${from})` }];
}
