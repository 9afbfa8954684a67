import { composeSupergraph, requireOneDescription } from "./compose.ts";

const ONE = `"""A chain.""" type Chain @key(fields: "id") { """Its id.""" id: ID! name: String } type Query { chains: [Chain] }`;
const FEDERATION = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@external", "@requires", "@interfaceObject"]) `;

const compose = (...texts: readonly string[]) =>
  composeSupergraph(texts.map((text, at) => ({ name: `s${at}`, url: `http://s${at}`, sdl: FEDERATION + text })));

describe("the composition of subgraphs", () => {
  it("takes the description of a type and its fields from the subgraph that has one", () => {
    const supergraph = compose(`type Chain @key(fields: "id") { id: ID! blocks: Int }`, ONE);
    expect(supergraph).toMatch(/"""\s*A chain\.\s*"""\s*type Chain/);
    expect(supergraph).toMatch(/"""\s*Its id\.\s*"""\s*id: ID!/);
  });

  it("refuses two descriptions of the same type, field or argument in Moraine's own subgraphs, and names them", () => {
    const two = `"""Another text.""" type Chain @key(fields: "id") { """Its id.""" id: ID! blocks(
      """Most.""" size: Int): Int }`;
    const three = `extend type Chain @key(fields: "id") { """The id.""" id: ID! } extend type Query { """An id.""" id: ID }`;
    expect(() => requireOneDescription([ONE, two, three].map((sdl) => ({ sdl })))).toThrow(
      "the subgraphs do not compose: they describe Chain, Chain.id with different texts",
    );
    expect(compose(ONE, two)).toContain("A chain.");
  });

  it("names the subgraph whose SDL cannot be parsed", () => {
    expect(() => compose(ONE, "type {")).toThrow(
      'the SDL of the subgraph s1 cannot be parsed: Syntax Error: Expected Name, found "{".',
    );
  });

  it("gives a field the union or the interface that a subgraph returns if another one returns an object of it", () => {
    const one = `type Book @key(fields: "id") { id: ID! } type Query { first: Book @shareable every: [Book!]! @shareable }`;
    const two = `type Book @key(fields: "id") { id: ID! } type Film { id: ID! } union Medium = Book | Film
      type Query { first: Medium @shareable every: [Medium!]! @shareable }`;
    const supergraph = compose(one, two);
    expect(supergraph).toContain(`first: Medium @join__field(graph: S0, type: "Book") @join__field(graph: S1)`);
    expect(supergraph).toContain(`every: [Medium!]! @join__field(graph: S0, type: "[Book!]!") @join__field(graph: S1)`);
  });

  it("names the subgraph that has an interface as an object, and for which a field of all subgraphs is external", () => {
    const one = `interface Named @key(fields: "id") { id: ID! name: String } type Query { named: [Named] }
      type User implements Named @key(fields: "id") { id: ID! name: String }`;
    const two = `type Named @key(fields: "id") @interfaceObject { id: ID! name: String @external
      title: String @requires(fields: "name") }`;
    expect(compose(one, two)).toMatch(
      /interface Named[^{]*\{\s+id: ID!\s+name: String @join__field\(graph: S0\) @join__field\(graph: S1, external: true\)/,
    );
  });

  it("accepts required fields of an interface below another interface", () => {
    const types = `interface Shape { id: ID } interface Round implements Shape { id: ID size: Int }
      type Circle implements Shape & Round @shareable { id: ID size: Int }
      type Square implements Shape @shareable { id: ID }`;
    const one = `${types} type Thing @key(fields: "id") { id: ID! shape: Shape } type Query { things: [Thing] }`;
    const two = `${types} type Thing @key(fields: "id") { id: ID! shape: Shape @external
      area: Int @requires(fields: "shape { id ... on Round { size ... on Circle { id } ... on Square { id } } }") }`;
    expect(compose(one, two)).toContain(`requires: "shape{id ...on Circle{size id}}"`);
  });
});
