import { buildSchema, parse, validate } from "graphql";
import { createLogger } from "../core/observability/logger.ts";
import { createPublicErrors } from "./public-error.ts";

it("the suggestions of graphql-js are cut off, which have no part of their own in its errors", () => {
  const schema = buildSchema("type Query { price: Int }");
  const publicError = createPublicErrors(createLogger("silent"), true);
  const [error] = validate(schema, parse("{ prise }"));
  const failed = Object.assign(error ?? new Error("no error"), { extensions: { code: "GRAPHQL_VALIDATION_FAILED" } });
  expect(failed.message).toBe('Cannot query field "prise" on type "Query". Did you mean "price"?');
  expect(publicError(failed, "id").message).toBe('Cannot query field "prise" on type "Query".');
});
