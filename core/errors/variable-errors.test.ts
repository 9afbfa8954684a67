import { buildSchema, getVariableValues, Kind, type OperationDefinitionNode, parse } from "graphql";
import { isVariableError, variableOf } from "./variable-errors.ts";

const SCHEMA = buildSchema("type Query { sum(values: [Int]): Int }");
const [OPERATION] = parse("query ($values: [Int]) { sum(values: $values) }").definitions.filter(
  (node): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION,
);

/** The errors of graphql-js for this number of values that do not fit. */
function errorsOf(count: number) {
  const values = Array.from({ length: count }, () => "x");
  const { errors = [] } = getVariableValues(SCHEMA, OPERATION?.variableDefinitions ?? [], { values }, { maxErrors: 2 });
  return errors;
}

describe("the errors of graphql-js about variables", () => {
  it("belong to a variable", () => {
    expect(errorsOf(2).map(variableOf)).toEqual(["values", "values"]);
  });

  it("are recognised, also the one that says that there are too many", () => {
    const errors = errorsOf(3);
    expect(errors.map(variableOf)).toEqual(["values", "values", undefined]);
    expect(errors.map(isVariableError)).toEqual([true, true, true]);
  });
});
