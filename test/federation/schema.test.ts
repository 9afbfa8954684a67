import { readFileSync } from "node:fs";
import {
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  type NamedTypeNode,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  printSchema,
  type TypeNode,
  visit,
} from "graphql";
import { SUBGRAPHS } from "../../core/config/subgraphs.ts";
import { VERSION } from "../../core/observability/version.ts";
import { createPlanner } from "../../gateway/plan/planner.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";

const schema = createPlanner(committedSupergraph(), []).publicSchema;

/** The name and description of every type, field, argument and enum value. */
function* described(): Generator<readonly [string, string | null | undefined]> {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type) || isSpecifiedScalarType(type)) continue;
    yield [type.name, type.description];
    if (isEnumType(type)) for (const value of type.getValues()) yield [`${type.name}.${value.name}`, value.description];
    if (!isObjectType(type) && !isInputObjectType(type)) continue;
    for (const field of Object.values(type.getFields()).filter(({ name }) => !name.startsWith("__"))) {
      yield [`${type.name}.${field.name}`, field.description];
      if ("args" in field)
        for (const argument of field.args) yield [`${type.name}.${field.name}(${argument.name})`, argument.description];
    }
  }
}

const named = ({ type }: { readonly type: GraphQLType }): string => getNamedType(type).name;

describe("the schema that callers see", () => {
  it("has the values of all enums in upper case", () => {
    const names = Object.values(schema.getTypeMap())
      .filter((type) => isEnumType(type) && !isIntrospectionType(type))
      .flatMap((type) => (isEnumType(type) ? type.getValues() : []))
      .map(({ name }) => name);
    expect(names.filter((name) => !/^[A-Z][A-Z\d]*(_[A-Z\d]+)*$/.test(name))).toEqual([]);
  });

  it("has one enum for the directions of all orders", () => {
    const orders = Object.values(schema.getTypeMap())
      .filter(isInputObjectType)
      .filter(({ name }) => name.endsWith("Order"));
    expect(orders.length).toBeGreaterThan(5);
    const other = orders.filter((type) => String(type.getFields()["direction"]?.type) !== "SortOrder!");
    expect(other.map(({ name }) => name)).toEqual([]);
  });

  it("has a public specification for every custom scalar", () => {
    const scalars = Object.values(schema.getTypeMap()).filter((type) => isScalarType(type));
    const missing = scalars.filter((type) => !isSpecifiedScalarType(type) && !type.specifiedByURL);
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it("has a TypeScript type for every custom scalar in the published map, and none for a side on which no field has it", () => {
    const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
    const inputs = new Set<string>();
    const outputs = new Set<string>();
    for (const type of types) {
      if (isInputObjectType(type)) for (const field of Object.values(type.getFields())) inputs.add(named(field));
      if (!isObjectType(type) && !isInterfaceType(type)) continue;
      for (const field of Object.values(type.getFields())) {
        outputs.add(named(field));
        for (const argument of field.args) inputs.add(named(argument));
      }
    }
    const used = types
      .filter((type) => isScalarType(type) && !isSpecifiedScalarType(type))
      .map(({ name }) => [name, inputs.has(name), outputs.has(name)]);
    const map = JSON.parse(readFileSync("docs/scalars.json", "utf8")) as Record<string, Record<string, string>>;
    const mapped = Object.entries(map).map(([name, { input, output }]) => [
      name,
      input !== "never",
      output !== "never",
    ]);
    expect(mapped).toEqual(used.toSorted());
  });

  it("describes every type, field, argument and enum value", () => {
    const missing = [...described()].filter(([, description]) => !description).map(([name]) => name);
    expect(missing).toEqual([]);
  });

  it("lists every root field in the description of its type", () => {
    for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
      const listed = [...(type?.description ?? "").matchAll(/^- .*/gm)].flatMap(([line]) =>
        line.match(/(?<=`)\w+(?=`)/g),
      );
      const fields = Object.keys(type?.getFields() ?? {}).filter((name) => !name.startsWith("__"));
      expect(listed.toSorted()).toEqual(fields.toSorted());
    }
  });

  it("contains no directives, types or fields of the composition", () => {
    expect(printSchema(schema)).not.toMatch(/join__|_entities|_service|link__/);
  });
});

/** The documents of the subgraphs, by name. */
const documents = SUBGRAPHS.map(
  ({ name }) => [name, parse(readFileSync(`subgraphs/${name}/schema.graphql`, "utf8"))] as const,
);

describe("deprecations", () => {
  it.each([...documents, ["schema that callers see", parse(printSchema(schema))] as const])(
    "in the SDL of the %s have a reason that ends with the release that removes the member, which is a later one",
    (_name, document) => {
      const reasons: string[] = [];
      visit(document, {
        Directive({ name, arguments: given = [] }) {
          if (name.value === "deprecated") reasons.push(given.map(({ value }) => print(value)).join());
        },
      });
      const release = (reason: string) => /\. Removed in (\d+)\.(\d+)\.0\."$/.exec(reason)?.slice(1).map(Number);
      const [major = 0, minor = 0] = VERSION.split(".").map(Number);
      const isLater = ([one = 0, other = 0]: readonly number[] = []) => one > major || (one === major && other > minor);
      expect(reasons.filter((reason) => !isLater(release(reason)))).toEqual([]);
    },
  );
});

/** Every object type of every subgraph. */
const objectTypes = documents.flatMap(([subgraph, { definitions }]) =>
  definitions.flatMap((node) => (node.kind === Kind.OBJECT_TYPE_DEFINITION ? [{ subgraph, node }] : [])),
);

const isEntity = ({ directives = [] }: ObjectTypeDefinitionNode): boolean =>
  directives.some(({ name }) => name.value === "key");

/** The subgraph in which an entity has most of its fields, by the name of the entity. */
const homes = new Map<string, string>();
for (const { subgraph, node } of objectTypes
  .filter((type) => isEntity(type.node))
  .toSorted((one, other) => (one.node.fields?.length ?? 0) - (other.node.fields?.length ?? 0)))
  homes.set(node.name.value, subgraph);
// Its balances and its activity are its own fields, and the evm subgraph adds what it did.
homes.set("EvmAddress", "metrics");

/** The members of each union. */
const unions = new Map(
  documents.flatMap(([, { definitions }]) =>
    definitions.flatMap((node) =>
      node.kind === Kind.UNION_TYPE_DEFINITION
        ? [[node.name.value, (node.types ?? []).map(({ name }) => name.value)] as const]
        : [],
    ),
  ),
);

const namedTypeOf = (type: TypeNode): NamedTypeNode => (type.kind === Kind.NAMED_TYPE ? type : namedTypeOf(type.type));

describe("a part of an answer that fails", () => {
  it("empties no other root field: all of them are nullable, and say where null only means failure", () => {
    const fields = objectTypes
      .filter(({ node }) => /^(Query|Mutation|Subscription)$/.test(node.name.value))
      .flatMap(({ node }) => node.fields ?? []);
    expect(fields.filter(({ type }) => type.kind === Kind.NON_NULL_TYPE).map(({ name }) => name.value)).toEqual([]);
    const evmBlocks = fields.find(({ name }) => name.value === "evmBlocks");
    expect(evmBlocks?.directives?.map((directive) => print(directive))).toEqual(["@semanticNonNull"]);
  });

  it("empties no field of another subgraph: what a second subgraph adds to an entity or returns of it is nullable", () => {
    const required = objectTypes.flatMap(({ subgraph, node }) =>
      (node.fields ?? []).flatMap(({ name, type, directives = [] }) => {
        const keys = (node.directives ?? []).filter((one) => one.name.value === "key").map((one) => print(one));
        // Every subgraph makes the id of the key.
        const isOfKey = name.value === "id" || keys.some((key) => new RegExp(`\\b${name.value}\\b`).test(key));
        const isExternal = directives.some((one) => one.name.value === "external");
        const isAdded = isEntity(node) && homes.get(node.name.value) !== subgraph && !isOfKey && !isExternal;
        const named = namedTypeOf(type).name.value;
        const isForeign = (unions.get(named) ?? [named]).some((one) => (homes.get(one) ?? subgraph) !== subgraph);
        const text = print(type);
        return (isAdded && text.endsWith("!")) || (isForeign && text.includes("!"))
          ? [`${subgraph}: ${node.name.value}.${name.value}: ${text}`]
          : [];
      }),
    );
    expect(required).toEqual([]);
  });
});
