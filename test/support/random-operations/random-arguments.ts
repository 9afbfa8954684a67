import {
  type GraphQLArgument,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
} from "graphql";

/**
 * A value of an argument. `recorded` is one that an answer had for this name; null if there is none. Undefined if no value of the type is
 * known.
 */
export function argumentValue({ name, type }: GraphQLArgument, recorded: unknown, random: () => number): unknown {
  const named = getNamedType(type);
  const value = isEnumType(named)
    ? enumValue(named.getValues(), recorded, random)
    : plainValue(name, named.name, recorded, random);
  return value !== undefined && isListType(getNullableType(type)) && !Array.isArray(value) ? [value] : value;
}

function enumValue(values: readonly { readonly name: string }[], recorded: unknown, random: () => number): unknown {
  const known = values.find(({ name }) => name === recorded);
  // Most operations ask for something that is there.
  return (random() % 4 > 0 && known ? known : values[random() % values.length])?.name;
}

function plainValue(name: string, type: string, recorded: unknown, random: () => number): unknown {
  if (name === "first" || name === "last") return 1 + (random() % 6);
  if (type === "Boolean") return random() % 2 === 0;
  if (type === "String" && random() % 30 === 0) return "unknown";
  return recorded ?? undefined;
}

/** The literal of a value. */
export function literalOf(value: unknown, type: GraphQLInputType): string {
  if (Array.isArray(value)) return `[${value.map((item) => literalOf(item, type)).join(", ")}]`;
  return isEnumType(getNamedType(type)) ? String(value) : JSON.stringify(value);
}
