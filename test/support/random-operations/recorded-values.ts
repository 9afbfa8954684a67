import { type GraphQLSchema, isObjectType } from "graphql";

/** Values of leaves by their names. */
export type Row = Readonly<Record<string, unknown>>;

/** What the answers to some operations contain, for the arguments and representations of others. */
export interface RecordedValues {
  /** Rows that have values of all these names. */
  rowsWith(names: readonly string[]): readonly Row[];
  /** Representations of an entity: objects with the fields of its keys, and those that other subgraphs must send. */
  representations(schema: GraphQLSchema, type: string): readonly Row[];
}

/** As many rows of a type are kept. */
const MAX_ROWS = 40;

/** Collects the objects of answers that have a `__typename`. `others` are rows of arguments, which have no type. */
export function recordedValues(answers: readonly unknown[], others: readonly Row[]): RecordedValues {
  const byType = new Map<string, Row[]>();
  for (const answer of answers) collect(answer, byType);
  const rows = [...others, ...[...byType.values()].flat()];
  const hasAll = (row: Row, names: readonly string[]): boolean => names.every((name) => (row[name] ?? null) !== null);
  return {
    rowsWith: (names) => rows.filter((row) => hasAll(row, names)),
    representations(schema, type) {
      const needed = neededFields(schema, type);
      return needed
        .flatMap((names) =>
          (byType.get(type) ?? []).filter((row) => hasAll(row, names)).map((row) => picked(row, names)),
        )
        .map((row) => ({ __typename: type, ...row }));
    },
  };
}

function collect(value: unknown, byType: Map<string, Row[]>): void {
  if (Array.isArray(value)) for (const item of value) collect(item, byType);
  else if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value);
    const { __typename: type, ...row } = Object.fromEntries(entries.filter(([, one]) => isLeaf(one)));
    for (const [, inner] of entries) collect(inner, byType);
    if (typeof type !== "string") return;
    const rows = byType.get(type) ?? [];
    byType.set(type, rows);
    if (rows.length < MAX_ROWS) rows.push(row);
  }
}

const isLeaf = (value: unknown): boolean => typeof value !== "object" || value === null;

const picked = (row: Row, names: readonly string[]): Row => Object.fromEntries(names.map((name) => [name, row[name]]));

/** The fields of each key of an entity, with its external fields. The keys of Moraine's subgraphs have no fields of objects. */
function neededFields(schema: GraphQLSchema, name: string): string[][] {
  const type = schema.getType(name);
  if (!isObjectType(type)) return [];
  const external = Object.values(type.getFields())
    .filter(({ astNode }) => astNode?.directives?.some((directive) => directive.name.value === "external"))
    .map((field) => field.name);
  const keys = (type.astNode?.directives ?? []).filter((directive) => directive.name.value === "key");
  return keys.map(({ arguments: args }) => {
    const fields = args?.find((one) => one.name.value === "fields")?.value;
    return [...(fields?.kind === "StringValue" ? fields.value.split(/\s+/) : []), ...external];
  });
}
