import { GraphQLScalarType } from "graphql";
import { Failure } from "../../core/errors.ts";
import { idText, nodeIdText } from "./ids.ts";

function output(name: string, description: string, serialize: (value: unknown) => unknown): GraphQLScalarType {
  const refuse = () => {
    throw new Failure("INVALID_PARAMETER", `values of the type ${name} are not accepted here`);
  };
  return new GraphQLScalarType({ name, description, serialize, parseValue: refuse, parseLiteral: refuse });
}

function textOf(value: unknown, format: (hex: string) => string): string {
  if (typeof value === "string") return value.startsWith("0x") ? format(value) : value;
  throw new TypeError("not an id");
}

/** A 32-byte id: rows have it as `0x` hex, callers see CB58. Never read from callers. */
export const Id = output("Id", "32 bytes in CB58.", (value) => textOf(value, idText));

/** A node id: rows have it as `0x` hex. Never read from callers. */
export const NodeId = output("NodeId", "`NodeID-` and 20 bytes in CB58.", (value) => textOf(value, nodeIdText));

/** Any JSON as it is. Never read from callers. */
export const Json = output("Json", "A JSON value.", (value) => value);
