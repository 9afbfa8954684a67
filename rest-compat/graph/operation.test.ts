import { ROUTES } from "../routes.ts";
import { loadOperation, parseOperation } from "./operation.ts";

describe("an operation file", () => {
  it.each(ROUTES.map(({ operation }) => operation))("%s contains one operation that selects one body", (name) => {
    expect(loadOperation(name)).toMatchObject({ name, body: { alias: { value: "body" } } });
  });

  it.each([
    "{ chains }",
    "{ body: chains other: chains }",
    "{ ...F } fragment F on Query { body: chains }",
    "query A { body: chains } query B { body: chains }",
    "fragment F on Query { body: chains }",
  ])("must not be %s", (document) => {
    expect(() => parseOperation("sample", document)).toThrow(/operation sample must/);
  });
});
