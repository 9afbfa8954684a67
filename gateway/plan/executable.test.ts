import { buildSubgraphSchema } from "@apollo/subgraph";
import { type ExecutionResult, parse } from "graphql";
import { createWork } from "../../core/work/work.ts";
import { composeSupergraph } from "../compose.ts";
import { resultOf } from "./fetch.ts";
import { createPlanner } from "./planner.ts";

const LINK = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])`;
const BOOKS = `${LINK}
  type Query { books: [Book]! certain: Book! unknown: [Book] shelf: Shelf unreadable: Book }
  type Shelf { best: [Book!] }
  type Book @key(fields: "id") { id: String! }`;
const PRICES = `${LINK}
  type Book @key(fields: "id") { id: String! price: Int! discount: Int }`;

/** The second subgraph returns no entity of a list with this id. */
const UNREADABLE = "600";

/** Ids of the entities that the second subgraph was asked for. It knows no book 404, and has a bug for 500. */
const asked: string[] = [];

const planner = createPlanner(
  composeSupergraph([
    { name: "books", url: "http://books", sdl: BOOKS },
    { name: "prices", url: "http://prices", sdl: PRICES },
  ]),
  [
    subgraph("books", BOOKS, {
      Query: {
        books: () => ["1", "404", "1", "500", "500"].map((id) => ({ id })),
        certain: () => ({ id: "404" }),
        unreadable: () => ({ id: UNREADABLE }),
        unknown: () => ["1", "404"].map((id) => ({ id })),
        shelf: () => ({ best: [{ id: "1" }, { id: "404" }] }),
      },
      Book: { __resolveReference: (key: object) => key },
    }),
    subgraph("prices", PRICES, {
      Book: {
        __resolveReference(key: { readonly id: string }) {
          asked.push(key.id);
          return key.id === "404" ? null : key;
        },
        price({ id }: { readonly id: string }) {
          if (id === "500") throw new Error("a bug");
          return Number(id);
        },
        discount: () => null,
      },
    }),
  ],
);

function subgraph(name: string, sdl: string, resolvers: object) {
  const schema = buildSubgraphSchema({ typeDefs: parse(sdl), resolvers: resolvers as never });
  const entities = schema.getQueryType()?.getFields()["_entities"];
  const resolve = entities?.resolve;
  if (entities && resolve)
    entities.resolve = (...args) => {
      const { representations } = args[1] as { readonly representations: readonly { readonly id: string }[] };
      if (representations.some(({ id }) => id === UNREADABLE)) throw new Error("no entity can be read");
      return resolve(...args);
    };
  return { name, schema, context: () => ({}) };
}

async function run(query: string): Promise<ExecutionResult> {
  asked.length = 0;
  return resultOf(await planner.compile(parse(query), null).run({}, { work: createWork(), requestId: "" }));
}

const errorsOf = ({ errors = [] }: ExecutionResult) => errors.map(({ message, path }) => [message, path]);

describe("a query over several subgraphs", () => {
  it("fetches equal entities once, and adds their fields wherever they are in the answer", async () => {
    const { data } = await run("{ books { id price } }");
    expect(asked).toEqual(["1", "404", "500"]);
    expect(data).toEqual({ books: [{ id: "1", price: 1 }, null, { id: "1", price: 1 }, null, null] });
  });

  it("has null in the place of an entity that its subgraph does not know, if null may be there", async () => {
    expect(await run("{ unknown { id price } }")).toEqual({ data: { unknown: [{ id: "1", price: 1 }, null] } });
  });

  it("names the place of an error in the answer for each entity that has it", async () => {
    expect(errorsOf(await run("{ list: books { amount: price } }"))).toEqual([
      ["a bug", ["list", 3, "amount"]],
      ["a bug", ["list", 4, "amount"]],
    ]);
  });

  it("has an error if an entity is missing where null must not be", async () => {
    const result = await run("{ shelf { best { price discount } } }");
    expect(result.data).toEqual({ shelf: { best: null } });
    expect(errorsOf(result)).toEqual([["Cannot return null for non-nullable field Book.price.", undefined]]);
    expect((await run("{ certain { price } }")).data).toBeNull();
  });

  it("has no error if only fields are missing that may be null", async () => {
    expect(await run("{ certain { id discount } }")).toEqual({ data: { certain: { id: "404", discount: null } } });
  });

  it("asks a subgraph once for entities at several paths, and adds to each the fields of its own place", async () => {
    const { data } = await run("{ books { id price } certain { id discount } other: books { price } }");
    expect(asked).toEqual(["1", "404", "500", "404"]);
    expect(data).toEqual({
      books: [{ id: "1", price: 1 }, null, { id: "1", price: 1 }, null, null],
      certain: { id: "404", discount: null },
      other: [{ price: 1 }, null, { price: 1 }, null, null],
    });
  });

  it("names the path of the entities if an error is about all of them, and no name of the planner", async () => {
    const errors = errorsOf(await run("{ books { price } mine: unreadable { discount } }"));
    expect(errors).toContainEqual(["no entity can be read", ["mine"]]);
    for (const [, path = []] of errors) expect(["books", "mine", undefined]).toContain(path[0]);
  });

  it("names the place of an error for each of several paths", async () => {
    const errors = errorsOf(await run("{ a: books { price } certain { discount } b: books { price } }"));
    // The planner chooses the order of the paths.
    expect(errors.toSorted((one, other) => String(one).localeCompare(String(other)))).toEqual([
      ["a bug", ["a", 3, "price"]],
      ["a bug", ["a", 4, "price"]],
      ["a bug", ["b", 3, "price"]],
      ["a bug", ["b", 4, "price"]],
    ]);
  });
});
