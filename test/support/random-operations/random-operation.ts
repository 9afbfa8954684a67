import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  parse,
  validate,
} from "graphql";
import { argumentValue, literalOf, namesNeeded } from "./random-arguments.ts";
import type { RecordedValues, Row } from "./recorded-values.ts";

export interface RandomOperation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What operations are made of. The same integers make the same operations. */
export interface RandomSource {
  readonly schema: GraphQLSchema;
  readonly recorded: RecordedValues;
  readonly random: () => number;
  /** Fields that are not selected. */
  readonly leftOut: ReadonlySet<string>;
}

type Field = GraphQLField<unknown, unknown>;

/** An operation while it is written. */
interface Draft extends RandomSource {
  readonly fragments: string[];
  /** Declarations of variables. */
  readonly declarations: string[];
  readonly variables: Record<string, unknown>;
}

const MAX_DEPTH = 4;
const MAX_DEPTH_OF_WIDE = 2;
/** Of the fields of one object. */
const MAX_FIELDS_OF_OBJECTS = 4;
const MAX_ATTEMPTS = 20;

/** Makes an operation with a root field. Null if a required argument of the field has no value. */
export function randomOperation(source: RandomSource, root: string): RandomOperation | null {
  return validOperation(source, (draft) => {
    const query = source.schema.getQueryType();
    const field = query?.getFields()[root];
    return query && field ? selectedField(draft, query, field, MAX_DEPTH) : null;
  });
}

/** Makes an operation that asks for entities, by one variable of representations. Null if the types have none. */
export function randomEntities(source: RandomSource, types: readonly string[]): RandomOperation | null {
  return validOperation(source, (draft) => {
    const { schema, recorded, random } = draft;
    const known = types.flatMap((type) => recorded.representations(schema, type));
    if (known.length === 0) return null;
    const representations = Array.from({ length: 1 + (random() % 5) }, () => picked(known, random));
    const variable = addVariable(draft, "[_Any!]!", representations);
    const members = types.map((type) => schema.getType(type)).filter(isObjectType);
    return `_entities(representations: ${variable}) ${selectionOfMembers(draft, members, MAX_DEPTH)}`;
  });
}

/**
 * Makes an operation that selects all fields without arguments at the first levels below a root field, and the types of the objects. It is
 * not valid if members of a union have fields of other types under one name. Null if a required argument has no value.
 */
export function wideOperation(source: RandomSource, root: string): RandomOperation | null {
  const draft: Draft = { ...source, fragments: [], declarations: [], variables: {} };
  const field = source.schema.getQueryType()?.getFields()[root];
  const given = field ? givenArguments(draft, field, []) : null;
  if (!field || given === null) return null;
  const declared = draft.declarations.length > 0 ? `query (${draft.declarations.join(", ")})` : "";
  const selection = everythingBelow(source, getNamedType(field.type), MAX_DEPTH_OF_WIDE);
  return { query: `${declared} { ${root}${given} ${selection} }`, variables: draft.variables };
}

function everythingBelow(source: RandomSource, type: GraphQLNamedType, depth: number): string {
  if (isAbstractType(type)) {
    const members = source.schema.getPossibleTypes(type);
    return `{ ${members.map((one) => `... on ${one.name} ${everythingBelow(source, one, depth)}`).join(" ")} }`;
  }
  if (!isObjectType(type)) return "";
  const fields = selectableFields(source, type).filter(
    ({ type: inner, args }) => !args.some(isRequiredArgument) && (depth > 0 || isLeafType(getNamedType(inner))),
  );
  const parts = fields.map((field) => `${field.name} ${everythingBelow(source, getNamedType(field.type), depth - 1)}`);
  return `{ ${["__typename", ...parts].join(" ")} }`;
}

function selectableFields({ leftOut }: RandomSource, type: GraphQLObjectType): Field[] {
  return Object.values(type.getFields()).filter(({ name }) => !leftOut.has(name));
}

function validOperation(source: RandomSource, write: (draft: Draft) => string | null): RandomOperation | null {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const draft: Draft = { ...source, fragments: [], declarations: [], variables: {} };
    const root = write(draft);
    if (root === null) return null;
    const declared = draft.declarations.length > 0 ? `query (${draft.declarations.join(", ")})` : "";
    const query = [`${declared} { ${root} }`, ...draft.fragments].join(" ");
    // Members of a union may have fields of other types under the same name, which is not valid.
    if (validate(source.schema, parse(query)).length === 0) return { query, variables: draft.variables };
  }
  throw new Error("no valid operation was made");
}

function picked<Item>(items: readonly Item[], random: () => number): Item {
  return items[random() % items.length] as Item;
}

function selectionOf(draft: Draft, type: GraphQLNamedType, depth: number): string {
  if (isObjectType(type)) return `{ ${fieldsOf(draft, type, depth)} }`;
  return isAbstractType(type) ? selectionOfMembers(draft, draft.schema.getPossibleTypes(type), depth) : "";
}

/** A selection on an interface or a union. In half of the cases, each member has names of its own. */
function selectionOfMembers(draft: Draft, types: readonly GraphQLObjectType[], depth: number): string {
  const { random } = draft;
  const isPrefixed = random() % 2 === 0;
  const members = types.filter(() => types.length < 3 || random() % 3 > 0);
  const parts = members.map((type) => {
    const prefix = isPrefixed ? `${type.name}_` : "";
    return fragment(draft, type.name, fieldsOf(draft, type, depth - 1, prefix));
  });
  return `{ ${[...parts, random() % 3 > 0 || parts.length === 0 ? "__typename" : ""].join(" ")} }`;
}

function fieldsOf(draft: Draft, type: GraphQLObjectType, depth: number, prefix = ""): string {
  const { random } = draft;
  let objects = MAX_FIELDS_OF_OBJECTS;
  const parts = shuffled(selectableFields(draft, type), random).flatMap((field) => {
    const isLeaf = isLeafType(getNamedType(field.type));
    if (random() % 3 === 0 || (!isLeaf && (depth <= 0 || objects-- <= 0))) return [];
    return [selectedField(draft, type, field, depth - 1, prefix) ?? ""];
  });
  return [...parts, random() % 4 === 0 || parts.join("").trim() === "" ? "__typename" : ""].join(" ");
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((one, two) => one.at - two.at)
    .map(({ item }) => item);
}

/** A field with an alias, in a fragment, or selected twice, by chance. Null if a required argument has no value. */
function selectedField(
  draft: Draft,
  parent: GraphQLObjectType,
  field: Field,
  depth: number,
  prefix = "",
): string | null {
  const { random } = draft;
  const optional = field.args.filter((argument) => !isRequiredArgument(argument) && random() % 4 === 0);
  const given = givenArguments(draft, field, optional);
  if (given === null) return null;
  const alias = given !== "" || prefix !== "" || random() % 6 === 0 ? `${aliasOf(draft, prefix, field, given)}: ` : "";
  const type = getNamedType(field.type);
  const written = () => `${alias}${field.name}${given} ${selectionOf(draft, type, depth)}`;
  const once = written();
  const text = random() % 6 === 0 ? `${once} ${written()}` : once;
  return random() % 8 === 0 ? fragment(draft, parent.name, text) : text;
}

/** Fields with arguments get names of their own, because fields of one name must have the same arguments. */
function aliasOf({ random }: Draft, prefix: string, { name }: Field, given: string): string {
  return given === "" ? `${prefix}${name}` : `${prefix}${name}_${random() % 1_000_000}`;
}

function fragment(draft: Draft, type: string, fields: string): string {
  const { random, fragments } = draft;
  if (random() % 3 > 0) return `... on ${type} { ${fields} }`;
  const name = `F${fragments.length}`;
  fragments.push(`fragment ${name} on ${type} { ${fields} }`);
  return `...${name}`;
}

/** The arguments of a field: the required ones, from one row, and some others. */
function givenArguments(draft: Draft, field: Field, optional: readonly GraphQLArgument[]): string | null {
  const { random, recorded } = draft;
  const required = field.args.filter(isRequiredArgument);
  const row = rowFor(draft, field, required);
  const given: string[] = [];
  for (const argument of [...required, ...optional]) {
    const isRequired = required.includes(argument);
    const rows = recorded.rowsWith(namesNeeded(argument, nameFor(recorded, field, argument)));
    const from: Row = isRequired || rows.length === 0 ? row : picked(rows, random);
    const value = argumentValue(argument, from[nameFor(recorded, field, argument)] ?? null, random, from);
    if (value === undefined && isRequired) return null;
    if (value !== undefined) given.push(`${argument.name}: ${written(draft, argument, value)}`);
  }
  return given.length > 0 ? `(${given.join(", ")})` : "";
}

/** The fields that have values for arguments of other names. */
const FIELDS_OF_ARGUMENTS: Readonly<Record<string, string>> = { after: "endCursor", before: "startCursor" };

/** A row can have a value for an argument of one field. */
function nameFor(recorded: RecordedValues, field: Field, { name }: GraphQLArgument): string {
  const own = `${field.name}.${name}`;
  return recorded.rowsWith([own]).length > 0 ? own : (FIELDS_OF_ARGUMENTS[name] ?? name);
}

/** A row that has values of all required arguments, or at least of those that are not enums. */
function rowFor({ recorded, random }: Draft, field: Field, required: readonly GraphQLArgument[]): Row {
  const namesOf = (all: readonly GraphQLArgument[]) =>
    all.flatMap((argument) => namesNeeded(argument, nameFor(recorded, field, argument)));
  const withAll = recorded.rowsWith(namesOf(required));
  const rows =
    withAll.length > 0
      ? withAll
      : recorded.rowsWith(namesOf(required.filter(({ type }) => !isEnumType(getNamedType(type)))));
  return rows.length > 0 ? picked(rows, random) : {};
}

function written(draft: Draft, { type, defaultValue }: GraphQLArgument, value: unknown): string {
  const { random } = draft;
  if (random() % 3 > 0) return literalOf(value, type);
  const isAbsent = defaultValue !== undefined && random() % 4 === 0;
  return addVariable(draft, String(type), isAbsent ? undefined : value);
}

/** Declares a variable, and returns how it is named in the operation. Undefined: it is not given. */
function addVariable({ declarations, variables }: Draft, type: string, value: unknown): string {
  const name = `v${declarations.length}`;
  declarations.push(`$${name}: ${type}`);
  if (value !== undefined) variables[name] = value;
  return `$${name}`;
}
