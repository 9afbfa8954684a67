import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
} from "graphql";
import type { Row } from "./recorded-values.ts";

/**
 * A value of an argument. `recorded` is one that an answer had for this name; null if there is none. The members of an object are from `row`.
 * Undefined if no value of the type is known.
 */
export function argumentValue(
  { name, type }: Pick<GraphQLArgument, "name" | "type">,
  recorded: unknown,
  random: () => number,
  row: Row,
): unknown {
  const named = getNamedType(type);
  if (isInputObjectType(named)) return objectValue(Object.values(named.getFields()), random, row);
  const value = isEnumType(named)
    ? enumValue(named.getValues(), recorded, random)
    : plainValue(name, named.name, recorded, random);
  return value !== undefined && isListType(getNullableType(type)) && !Array.isArray(value) ? [value] : value;
}

/** The fields that have values for members of other names. */
const FIELDS_OF_MEMBERS: Readonly<Record<string, string>> = {
  fromBlock: "blockNumber",
  toBlock: "blockNumber",
  fromTime: "blockTimestamp",
  toTime: "blockTimestamp",
  chains: "chainId",
};

/** The required members, and some others. */
function objectValue(members: readonly GraphQLInputField[], random: () => number, row: Row): unknown {
  const entries: [string, unknown][] = [];
  for (const member of members) {
    const isRequired = isRequiredInputField(member);
    if (!isRequired && random() % 3 > 0) continue;
    const recorded = row[FIELDS_OF_MEMBERS[member.name] ?? member.name] ?? null;
    const value = argumentValue(member, recorded, random, row);
    if (value === undefined && isRequired) return undefined;
    if (value !== undefined) entries.push([member.name, value]);
  }
  return Object.fromEntries(entries);
}

/** The names of the values that the required members of an argument need; its own name if it is no object. */
export function namesNeeded({ type }: Pick<GraphQLArgument, "type">, own: string): string[] {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return [own];
  return Object.values(named.getFields())
    .filter(isRequiredInputField)
    .filter((member) => !isEnumType(getNamedType(member.type)))
    .map(({ name }) => FIELDS_OF_MEMBERS[name] ?? name);
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
  const named = getNamedType(type);
  if (isInputObjectType(named) && typeof value === "object" && value !== null) {
    const members = named.getFields();
    const texts = Object.entries(value).map(
      ([name, member]) => `${name}: ${literalOf(member, (members[name] as GraphQLInputField).type)}`,
    );
    return `{ ${texts.join(", ")} }`;
  }
  return isEnumType(getNamedType(type)) ? String(value) : JSON.stringify(value);
}
