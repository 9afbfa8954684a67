import { composeSupergraph } from "./compose.ts";

const ONE = `"""A chain.""" type Chain @key(fields: "id") { """Its id.""" id: ID! name: String } type Query { chains: [Chain] }`;
const FEDERATION = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"]) `;

const compose = (...texts: readonly string[]) =>
  composeSupergraph(texts.map((text, at) => ({ name: `s${at}`, url: `http://s${at}`, sdl: FEDERATION + text })));

describe("the composition of subgraphs", () => {
  it("takes the description of a type and its fields from the subgraph that has one", () => {
    const supergraph = compose(`type Chain @key(fields: "id") { id: ID! blocks: Int }`, ONE);
    expect(supergraph).toMatch(/"""\s*A chain\.\s*"""\s*type Chain/);
    expect(supergraph).toMatch(/"""\s*Its id\.\s*"""\s*id: ID!/);
  });

  it("refuses two descriptions of the same type, field or argument, and names them", () => {
    const two = `"""Another text.""" type Chain @key(fields: "id") { """Its id.""" id: ID! blocks(
      """Most.""" size: Int): Int }`;
    const three = `extend type Chain @key(fields: "id") { """The id.""" id: ID! } extend type Query { """An id.""" id: ID }`;
    expect(() => compose(ONE, two, three)).toThrow(
      "the subgraphs do not compose: they describe Chain, Chain.id with different texts",
    );
  });
});
