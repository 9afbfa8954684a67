import { type GraphQLOutputType, getNullableType, isLeafType, isListType } from "graphql";
import { Failure, messageOf, quoted } from "../../core/errors/errors.ts";
import { isObject } from "../../core/formats/json.ts";
import type { Entities, EntityKey } from "./entities.ts";

/** What names an entity: its type and the fields of one of its keys. */
export interface Representation {
  readonly typename: string;
  /** The index of the key among those of the entity. */
  readonly keyIndex: number;
  /** The fields of the key, without any others. */
  readonly key: Readonly<Record<string, unknown>>;
}

/** Reads an item of the argument `representations`. Returns `INVALID_PARAMETER` if it names no entity. */
export type ReadRepresentation = (given: unknown) => Representation | Failure;

export function createRepresentationReader(entities: Entities): ReadRepresentation {
  return (given) => {
    const typename = isObject(given) ? given["__typename"] : undefined;
    const keys = typeof typename === "string" ? entities.get(typename) : undefined;
    if (!isObject(given) || typeof typename !== "string" || !keys)
      return invalid(`__typename must be an entity of this graph, got ${quoted(typename ?? null)}`);
    const keyIndex = keys.findIndex(({ fields }) => hasFields(given, fields));
    const key = keys[keyIndex];
    if (!key) return invalid(`a representation of ${typename} must have the fields ${alternatives(keys)}`);
    try {
      return { typename, keyIndex, key: fieldsOf(given, key.fields) };
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
  };
}

const invalid = (message: string): Failure => new Failure("INVALID_PARAMETER", message);

const alternatives = (keys: readonly EntityKey[]): string => keys.map(({ text }) => `\`${text}\``).join(" or ");

type Fields = EntityKey["fields"];
type Values = Readonly<Record<string, unknown>>;

/** True if a representation has all fields of a key. A subgraph sends no null in a key. */
function hasFields(given: Values, fields: Fields): boolean {
  return fields.every(({ name, fields: below }) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined || value === null) return false;
    return !below || [value].flat().every((item) => isObject(item) && hasFields(item, below));
  });
}

function fieldsOf(given: Values, fields: Fields): Values {
  return Object.fromEntries(
    fields.map(({ name, type, fields: below }) => [name, coerced(given[name], type, below, name)]),
  );
}

/** The value after the coercion of its type. The gateway knows scalars of subgraphs by name only: the subgraph checks their values. */
function coerced(value: unknown, type: GraphQLOutputType, below: Fields | null, name: string): unknown {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    if (!Array.isArray(value)) throw invalid(`${name} must be a list, got ${quoted(value)}`);
    return value.map((item) => coerced(item, nullable.ofType, below, name));
  }
  if (below) return fieldsOf(value as Values, below); // `hasFields` has checked that it is an object
  if (!isLeafType(nullable)) return value;
  try {
    return nullable.parseValue(value);
  } catch (error) {
    throw invalid(`${name}: ${messageOf(error)}`);
  }
}
