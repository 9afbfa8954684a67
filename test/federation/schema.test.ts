import {
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  printSchema,
} from "graphql";
import { createPlanner } from "../../gateway/plan/planner.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";

const schema = createPlanner(committedSupergraph(), []).schema;

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

describe("the schema that callers see", () => {
  it("has a public specification for every custom scalar", () => {
    const scalars = Object.values(schema.getTypeMap()).filter((type) => isScalarType(type));
    const missing = scalars.filter((type) => !isSpecifiedScalarType(type) && !type.specifiedByURL);
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it("describes every type, field, argument and enum value", () => {
    const missing = [...described()].filter(([, description]) => !description).map(([name]) => name);
    expect(missing).toEqual([]);
  });

  it("contains no directives, types or fields of the composition", () => {
    expect(printSchema(schema)).not.toMatch(/join__|_entities|_service|link__/);
  });
});
