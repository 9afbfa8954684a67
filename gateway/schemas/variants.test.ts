import { buildASTSchema, type GraphQLEnumType, type GraphQLObjectType } from "graphql";
import { composeSupergraph } from "../compose.ts";
import { composeVariant } from "./variants.ts";

const SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@tag"])
  type Query { ship: Ship dock: Dock @tag(name: "node") find: [Found!] count(deep: Boolean @tag(name: "rest")): Int }
  union Found = Ship | Crane
  type Ship @key(fields: "id") { id: ID! state: State cargo: Cargo @tag(name: "rest") }
  type Crane @tag(name: "node") { id: ID! }
  type Cargo { weight: Int }
  type Dock { depth: Int }
  enum State { SAILING SUNK @tag(name: "node") }`;

const schemaOf = (name: "api" | "public") =>
  buildASTSchema(composeVariant(composeSupergraph([{ name: "port", url: "http://port", sdl: SDL }]), name));

describe("a schema of callers", () => {
  it("lacks fields, arguments, types, members and values with its tags, and types to which nothing leads", () => {
    const names = (name: "api" | "public") => {
      const schema = schemaOf(name);
      const { ship, count } = schema.getQueryType()?.getFields() ?? {};
      return {
        types: Object.keys(schema.getTypeMap()).filter((type) => /^[A-Z]/.test(type)),
        fields: ship && Object.keys((ship.type as GraphQLObjectType).getFields()),
        values: (schema.getType("State") as GraphQLEnumType).getValues().map((value) => value.name),
        args: count?.args,
      };
    };
    const api = names("api");
    expect(api.types).toEqual(expect.arrayContaining(["Ship", "Crane", "Dock", "Found"]));
    expect(api.types).not.toContain("Cargo");
    expect(api).toMatchObject({ fields: ["id", "state"], values: ["SAILING", "SUNK"], args: [] });
    const open = names("public");
    expect(open.types).not.toEqual(expect.arrayContaining(["Crane"]));
    expect(open.types).not.toEqual(expect.arrayContaining(["Dock"]));
    expect(open).toMatchObject({ fields: ["id", "state"], values: ["SAILING"] });
  });
});
