import { buildSchema, parse } from "graphql";
import { testConfig } from "../../../test/support/config.ts";
import type { ApiKey } from "./api-keys.ts";
import { createKeyRequirements, requireKnownRoutes } from "./key-requirements.ts";

const schema = buildSchema(`
  interface Named { name: String }
  type Thing implements Named { name: String secret: String }
  type Query { thing: Thing named: Named open: Int }
  type Mutation { start: Thing }`);
const requirements = (...keyRequirements: unknown[]) => createKeyRequirements(testConfig({ keyRequirements }), schema);
const key = (...scopes: string[]): ApiKey => ({ key: "k", name: "n", scopes });

describe("the setting keyRequirements", () => {
  it.each([
    ["{ open }", "open"],
    ["{ thing { name } }", "open"],
    ["{ thing { ...f } } fragment f on Thing { secret }", "key"],
    ["{ named { ... on Thing { secret } } }", "key"],
    ["mutation { start { name } }", "scope"],
  ])("makes %s %s", (document, needs) => {
    const check = requirements({ fields: ["Thing.secret"] }, { fields: ["Mutation.start"], scope: "write" }).ofDocument(
      parse(document),
    );
    const codeFor = (apiKey: ApiKey | null) => {
      try {
        check?.(apiKey);
        return "";
      } catch (error) {
        return (error as { readonly code: string }).code;
      }
    };
    const expected = {
      open: ["", "", ""],
      key: ["UNAUTHENTICATED", "", ""],
      scope: ["UNAUTHENTICATED", "FORBIDDEN", ""],
    };
    expect([codeFor(null), codeFor(key()), codeFor(key("write"))]).toEqual(expected[needs as keyof typeof expected]);
  });

  it("finds a field of an interface through its implementations, and the other way round", () => {
    const through = (field: string, document: string) => requirements({ fields: [field] }).ofDocument(parse(document));
    expect(through("Thing.name", "{ named { name } }")).not.toBeNull();
    expect(through("Named.name", "{ thing { name } }")).not.toBeNull();
    expect(through("Named.name", "{ open }")).toBeNull();
  });

  it("applies to a route by its name, and by the fields of its operation", () => {
    const { ofRoute } = requirements({ routes: ["E3"], fields: ["Thing.secret"], scope: "s" });
    expect(() => ofRoute("E3", parse("{ open }"))?.(null)).toThrow("E3 needs an API key");
    expect(() => ofRoute("E4", parse("{ thing { secret } }"))?.(key())).toThrow("with the scope s");
    expect(ofRoute("E4", parse("{ open }"))).toBeNull();
  });

  it("refuses names that do not exist", () => {
    expect(() => requirements({ fields: ["Thing.secrets"] })).toThrow('(did you mean "secret"?)');
    expect(() => requirements({ fields: ["Thin.secret"] })).toThrow("the graph has no such field");
    const config = testConfig({ keyRequirements: [{ routes: ["E99"] }] });
    expect(() => requireKnownRoutes(config, ["E9", "info.peers"])).toThrow('has "E99"');
  });
});
