import { buildSubgraphSchema } from "@apollo/subgraph";
import { type ExecutionResult, parse } from "graphql";
import { createLogger } from "../../core/observability/logger.ts";
import { composeSupergraph } from "../../gateway/compose.ts";
import type { LocalSubgraph } from "../../gateway/plan/subgraph.ts";
import { BOOKS, LIBRARY_SUBGRAPHS, librarySupergraph, READER } from "./library-subgraph.ts";
import { ask, type Served, serveGateway } from "./served.ts";

async function sdlOf({ url }: Served): Promise<string> {
  const { data } = (await ask(url, "{ _service { sdl } }")) as ExecutionResult<{ _service: { sdl: string } }>;
  return data?._service.sdl ?? "";
}

async function post({ url }: Served, query: string, variables: object): Promise<ExecutionResult> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query, variables }) });
  return (await response.json()) as ExecutionResult;
}

describe("the entities of a graph", () => {
  let library: Served;
  beforeAll(async () => {
    library = await serveGateway(LIBRARY_SUBGRAPHS, createLogger("silent"), librarySupergraph());
  });
  afterAll(() => library[Symbol.asyncDispose]());

  const entities = (selection: string, ...representations: readonly unknown[]) =>
    post(library, `query ($of: [_Any!]!) { _entities(representations: $of) { ${selection} } }`, { of: representations });

  it("x", async () => {
    console.log(await sdlOf(library));
    const show = async (...args: Parameters<typeof entities>) => console.log(JSON.stringify(await entities(...args), null, 1));
    await show("__typename ... on Book { id title reader { name years } } ... on Reader { name loans loansPerYear }",
      { __typename: "Book", id: "b1" },
      { __typename: "Book", title: "Ethics", edition: 2 },
      { __typename: "Book", title: "Optics", mark: { room: "south" } },
      { __typename: "Reader", email: READER.email },
      { __typename: "Book", id: "none" },
      { __typename: "Nothing", id: "none" },
      { __typename: "Book", title: "a" },
      { __typename: "Book", id: [1] },
    );
  });
});
void BOOKS; void buildSubgraphSchema; void parse; void composeSupergraph;
export type { LocalSubgraph };
