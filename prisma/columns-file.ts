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

/** The file `prisma/columns.ts`: the columns of all tables of a Prisma schema, with their types. */
export function columnsFile(schema: string): string {
  const models = [...schema.matchAll(MODEL)];
  const names = new Set(models.map(([, name]) => name));
  const tables = models.map(([, , body = ""]) => {
    const [, table = ""] = /@@map\("(\w+)"\)/.exec(body) ?? [];
    const columns = [...body.matchAll(FIELD)].flatMap(([, field = "", type = "", suffix = "", attributes = ""]) =>
      // A field of a model's type is a relation.
      names.has(type) ? [] : `    ${mapped(attributes) ?? field}: "${typeOf(type, attributes)}${suffix}",\n`,
    );
    return `  ${table}: {\n${columns.join("")}  },\n`;
  });
  return `// Written by \`npm run generate\` from schema.prisma.

/** The columns of each table, with PostgreSQL's types. A column whose type ends with \`?\` may be NULL. */
export const COLUMNS = {
${tables.join("")}} as const;
`;
}

const mapped = (attributes: string): string | undefined => /@map\("(\w+)"\)/.exec(attributes)?.[1];

function typeOf(type: string, attributes: string): string {
  const [, native = ""] = /@db\.(\w+)/.exec(attributes) ?? [];
  const name = NATIVE_TYPES[native] ?? TYPES[type];
  if (name === undefined) throw new Error(`prisma/columns-file.ts has no type of PostgreSQL for ${type}`);
  return name;
}
