import { getOperationAST, isObjectType, Kind, parse, TypeInfo, validate, visit, visitWithTypeInfo } from "graphql";
import { MAX_COST } from "../../core/graph/cost.ts";
import { compileCost } from "../../core/graph/operation-cost.ts";
import { createPlanner } from "../../gateway/plan/planner.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { documentOf, PAGES } from "./page.ts";

const { publicSchema: schema } = createPlanner(committedSupergraph(), []);

/** The pages that are subscriptions. */
const SUBSCRIPTIONS = ["22-live-blocks", "23-live-address", "24-live-p-chain", "25-live-resume"];

it("there are twenty-five pages, and each operation has a name of its own", () => {
  expect(PAGES.map((name) => Number(name.slice(0, 2)))).toEqual(Array.from({ length: 25 }, (_, i) => i + 1));
  const names = PAGES.map((name) => getOperationAST(parse(documentOf(name)))?.name?.value);
  expect(new Set(names)).toHaveProperty("size", PAGES.length);
  expect(names).not.toContain(undefined);
});

describe.each(PAGES)("page %s", (name) => {
  const document = parse(documentOf(name));

  it("is one operation of the public schema, with a comment that says what it shows", () => {
    expect(validate(schema, document)).toEqual([]);
    expect(getOperationAST(document)?.operation).toBe(SUBSCRIPTIONS.includes(name) ? "subscription" : "query");
    expect(documentOf(name)).toMatch(/^# [A-Z].*\.\n# [A-Z`].*\.\n(query|subscription) /);
  });

  it("selects the id of every object that has one, for the caches of clients", () => {
    const without: string[] = [];
    const types = new TypeInfo(schema);
    visit(
      document,
      visitWithTypeInfo(types, {
        SelectionSet({ selections }) {
          const type = types.getParentType();
          const isId = (selection: (typeof selections)[number]) =>
            selection.kind === Kind.FIELD && selection.name.value === "id";
          if (isObjectType(type) && type.getFields()["id"] && !selections.some(isId)) without.push(type.name);
        },
      }),
    );
    expect(without).toEqual([]);
  });

  it("costs less than the limit of an operation", () => {
    const { rows, values } = compileCost(schema, document, null)({});
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThan(MAX_COST.rows / 10);
    expect(values).toBeLessThan(MAX_COST.values / 10);
  });
});
