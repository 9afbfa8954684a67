/** PostgreSQL's types of the scalar types of a Prisma schema. A native type such as `@db.SmallInt` takes precedence. */
const TYPES: Readonly<Record<string, string>> = {
  BigInt: "bigint",
  Boolean: "boolean",
  Bytes: "bytea",
  Decimal: "numeric",
  Float: "double precision",
  Int: "integer",
  Json: "jsonb",
  String: "text",
};
const NATIVE_TYPES: Readonly<Record<string, string>> = { SmallInt: "smallint", Uuid: "uuid" };

const MODEL = /^model (\w+) \{\n(.*?)^\}/gms;
const FIELD = /^\s+(\w+)\s+([A-Z]\w*)(\?|\[\])?(.*)$/gm;

interface Column {
  readonly field: string;
  readonly name: string;
  readonly type: string;
}

/** The file `prisma/columns.ts`: the columns of all tables of a Prisma schema, with their types, and the names of fields that differ. */
export function columnsFile(schema: string): string {
  const models = [...schema.matchAll(MODEL)];
  const names = new Set(models.map(([, name = ""]) => name));
  const tables = models.map(([, , body = ""]) => ({
    table: /@@map\("(\w+)"\)/.exec(body)?.[1] ?? "",
    columns: columnsOf(body, names),
  }));
  const renamed = new Map(
    tables.flatMap(({ columns }) => columns.filter(isRenamed).map(({ field, name }) => [field, name])),
  );
  const lines = tables.map(({ table, columns }) => `  ${table}: {\n${columns.map(lineOf).join("")}  },\n`);
  return `// Written by \`npm run generate\` from schema.prisma.

/** The columns of each table, with PostgreSQL's types. A column whose type ends with \`?\` may be NULL. */
${constant("COLUMNS", lines)}
/** The columns whose name is not the name of their field in snake case, by the field. */
${constant(
  "RENAMED",
  Array.from(renamed, ([field, name]) => `  ${field}: "${name}",\n`),
)}`;
}

const constant = (name: string, lines: readonly string[]): string =>
  `export const ${name} = {\n${lines.join("")}} as const;\n`;

/** The columns of a model. A field whose type is one of the `models` is a relation. */
const columnsOf = (body: string, models: ReadonlySet<string>): Column[] =>
  [...body.matchAll(FIELD)]
    .filter(([, , type = ""]) => !models.has(type))
    .map(([, field = "", type = "", suffix = "", attributes = ""]) => ({
      field,
      name: mapped(attributes) ?? field,
      type: `${typeOf(type, attributes)}${suffix}`,
    }));

const lineOf = ({ name, type }: Column): string => `    ${name}: "${type}",\n`;

const isRenamed = ({ field, name }: Column): boolean =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) !== name;

const mapped = (attributes: string): string | undefined => /@map\("(\w+)"\)/.exec(attributes)?.[1];

function typeOf(type: string, attributes: string): string {
  const [, native = ""] = /@db\.(\w+)/.exec(attributes) ?? [];
  const name = NATIVE_TYPES[native] ?? TYPES[type];
  if (name === undefined) throw new Error(`prisma/columns-file.ts has no type of PostgreSQL for ${type}`);
  return name;
}
