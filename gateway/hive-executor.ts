import { unifiedGraphHandler } from "@graphql-hive/router-runtime";
import { buildASTSchema, type DefinitionNode, type GraphQLSchema, Kind, parse } from "graphql";
import { heavyTurn } from "../core/admission/heavy-turns.ts";
import { onceResolved } from "../core/once.ts";

type HandlerOptions = Parameters<typeof unifiedGraphHandler>[0];
type Handled = Awaited<ReturnType<typeof unifiedGraphHandler>>;
type Execute = NonNullable<Handled["executor"]>;

/** Hive's executor for the operations that Moraine cannot compile, such as mutations. */
export interface HiveExecutor {
  /** The runtime's setting `unifiedGraphHandler`. Makes nothing. */
  handle(options: HandlerOptions): Handled;
  /** Makes the executor, if `handle` was called. Otherwise, the first operation that needs it makes it. */
  warmUp(): Promise<void>;
}

/**
 * To make the executor holds the event loop for about 50 ms, so it has a turn of its own, and operations that do not need it do not wait.
 * `schema` is the one that callers see.
 */
export function createHiveExecutor(schema: GraphQLSchema, supergraph: string): HiveExecutor {
  let executor: (() => Promise<Execute>) | undefined;
  return {
    handle(options) {
      const made = onceResolved(() => makeExecutor({ ...options, unifiedGraph: schema }, supergraph));
      executor = made;
      return {
        unifiedGraph: schema,
        executor: (async (request) => (await made())(request)) as Execute,
        // Only transports of other kinds read it.
        getSubgraphSchema: () => schema,
      };
    },
    async warmUp() {
      await executor?.();
    },
  };
}

async function makeExecutor(options: HandlerOptions, supergraph: string): Promise<Execute> {
  await heavyTurn();
  const { executor, getSubgraphSchema } = await unifiedGraphHandler(options);
  if (!executor) throw new Error("Hive's handler of the supergraph has no executor");
  // The handler makes a schema of each subgraph from this graph, and then reads only its transforms, of which Moraine's subgraphs have
  // none. From the whole supergraph, that would hold the event loop for 0.3 s and take 10 MB.
  const { names, schema } = namesOf(supergraph);
  options.unifiedGraph = schema;
  await heavyTurn();
  // The first call makes all of them. Otherwise, the first operation would.
  if (names[0] !== undefined) getSubgraphSchema(names[0]);
  return executor;
}

/** The names of the subgraphs, and a supergraph with the same subgraphs, in which each has only one field. */
function namesOf(supergraph: string): { readonly names: readonly string[]; readonly schema: GraphQLSchema } {
  const definitions: DefinitionNode[] = [];
  let graphs: readonly string[] = [];
  for (const node of parse(supergraph, { noLocation: true }).definitions) {
    if (node.kind === Kind.DIRECTIVE_DEFINITION) definitions.push(node);
    else if ("name" in node && node.name && /^(join|link)__/.test(node.name.value)) definitions.push(node);
    if (node.kind === Kind.ENUM_TYPE_DEFINITION && node.name.value === "join__Graph")
      graphs = (node.values ?? []).map(({ name }) => name.value);
  }
  const query = `type Query ${graphs.map((name) => `@join__type(graph: ${name})`).join(" ")} { any: Boolean }`;
  definitions.push(...parse(query, { noLocation: true }).definitions);
  const schema = buildASTSchema({ kind: Kind.DOCUMENT, definitions }, { assumeValidSDL: true, assumeValid: true });
  return { names: graphs, schema };
}
