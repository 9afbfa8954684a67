import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Types } from "@graphql-codegen/plugin-helpers";
import { type GraphQLSchema, isObjectType, parse, printSchema } from "graphql";

const EXAMPLES = fileURLToPath(new URL("../../examples/", import.meta.url));
const SCALARS = new URL("../../docs/scalars.json", import.meta.url);
const FOLDER = "examples/client/generated/";
/** The typed documents of the files `*.graphql` in `examples`. The path is from the root of the project. */
export const TYPED_DOCUMENTS = `${FOLDER}graphql.ts`;
/** The types that have no key in a cache. The path is from the root of the project. */
export const EMBEDDED_TYPES = `${FOLDER}embedded-types.ts`;

/**
 * The code of `TYPED_DOCUMENTS`, by the client preset of GraphQL Code Generator. Its packages are only for development, so they are loaded here and
 * not by this module. They get the schema as a document, because they load another copy of graphql than a build of Moraine has, and a copy
 * refuses the schema objects of another. `files` are paths from `examples`.
 */
export async function typedDocuments(publicSchema: GraphQLSchema, files = documentsOfClients()): Promise<string> {
  const [{ codegen }, { preset }] = await Promise.all([
    import("@graphql-codegen/core"),
    import("@graphql-codegen/client-preset"),
  ]);
  const scalars = JSON.parse(readFileSync(SCALARS, "utf8")) as Record<string, unknown>;
  const outputs = await preset.buildGeneratesSection({
    baseOutputDir: FOLDER,
    config: { scalars, strictScalars: true, useTypeImports: true },
    presetConfig: { fragmentMasking: false },
    schema: parse(printSchema(publicSchema)),
    documents: files.map(documentOf),
    plugins: [],
    pluginMap: {},
  });
  const output = outputs.find(({ filename }) => filename === TYPED_DOCUMENTS);
  if (!output) throw new Error(`the client preset does not generate ${TYPED_DOCUMENTS}`);
  return codegen(output);
}

/** The documents of the examples, in the order of their paths. Moraine alone does not have the fields of the seventh subgraph. */
function documentsOfClients(): string[] {
  const files = readdirSync(EXAMPLES, { recursive: true, encoding: "utf8" });
  return files.filter((name) => name.endsWith(".graphql") && !name.startsWith("seventh-subgraph")).sort();
}

function documentOf(location: string): Types.DocumentFile {
  const rawSDL = readFileSync(EXAMPLES + location, "utf8");
  return { location, document: parse(rawSDL), rawSDL };
}

/** The code of `EMBEDDED_TYPES`. A cache keeps objects without `id` below the object that has them. urql must be told which types these are. */
export function embeddedTypes(publicSchema: GraphQLSchema): string {
  const roots = [publicSchema.getQueryType(), publicSchema.getMutationType(), publicSchema.getSubscriptionType()];
  const names = Object.values(publicSchema.getTypeMap())
    .filter(
      (type) => isObjectType(type) && !type.name.startsWith("__") && !roots.includes(type) && !type.getFields()["id"],
    )
    .map(({ name }) => name);
  return `/** Types without \`id\`. A cache keeps their objects below the object that has them. */
export const EMBEDDED_TYPES: readonly string[] = ${JSON.stringify(names.sort(), null, 2)};
`;
}
