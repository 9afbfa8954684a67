import { registerEnumType } from "type-graphql";

export interface GraphEnum<Value extends string> {
  readonly name: string;
  readonly description: string;
  /** The values as resolvers return and get them, with their descriptions. */
  readonly values: Readonly<Record<Value, string>>;
}

/**
 * Defines an enum of the graph, and returns the object that fields name as their type. Callers see each value in upper case with `_` between its
 * words (`AddValidatorTx` is `ADD_VALIDATOR_TX`). Resolvers, rows and settings have the value itself.
 */
export function graphEnum<Value extends string>({
  name,
  description,
  values,
}: GraphEnum<Value>): Readonly<Record<string, Value>> {
  const entries = Object.entries<string>(values);
  const type = Object.fromEntries(entries.map(([value]) => [upperCase(value), value as Value]));
  if (Object.keys(type).length < entries.length) throw new Error(`two values of the enum ${name} have the same name`);
  const valuesConfig = Object.fromEntries(entries.map(([value, text]) => [upperCase(value), { description: text }]));
  registerEnumType(type, { name, description, valuesConfig });
  return type;
}

function upperCase(value: string): string {
  return value.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, "_").toUpperCase();
}
