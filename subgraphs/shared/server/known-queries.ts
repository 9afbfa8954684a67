import {
  type ExecutionResult,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  validate,
} from "graphql";
import { LRUCache } from "lru-cache";
import { heavyTurn } from "../../../core/admission/heavy-turns.ts";
import { GRAPHQL_FORM } from "../../../core/answer-text/answer-form.ts";
import type { CompileText, JsonText, TryText } from "../../../core/answer-text/answer-text.ts";
import { compileGenerally } from "../../../core/general-executor.ts";

/** Characters of all queries that are kept. A query and its compiled form take up to 410 bytes for each character. */
const MAX_CHARACTERS = 100_000;
/** To compile a longer query holds the event loop for too long. */
const MAX_QUERY_LENGTH = 10_000;

type Variables = Readonly<Record<string, unknown>>;

/** Runs a query. Returns the text of its answer, or a result if it has errors. */
type Run = (variables: Variables, context: unknown) => Promise<JsonText | ExecutionResult>;

export interface CompiledSubgraph {
  readonly schema: GraphQLSchema;
  readonly compileText?: CompileText;
}

/** Queries that are sent again and again, as a gateway does with those of its plans. */
export interface KnownQueries {
  /**
   * Returns the compiled form of a query; null if it has none. A valid query is compiled after its second call, when the event loop has
   * nothing else to do.
   */
  find(query: string, operationName: string | null): Run | null;
}

/** A query that is not compiled: it was sent once, it is being compiled, or it cannot be compiled. */
type State = "seen" | "uncompiled";

interface Compiled {
  readonly run: Run;
  readonly name: string | null;
}

export function createKnownQueries(subgraph: CompiledSubgraph): KnownQueries {
  const queries = new LRUCache<string, State | Compiled>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, query) => query.length + 1,
  });
  const compileInTurn = async (query: string): Promise<void> => {
    await heavyTurn();
    const compiled = compile(subgraph, query);
    if (compiled) queries.set(query, compiled);
  };
  return {
    find(query, operationName) {
      if (query.length > MAX_QUERY_LENGTH) return null;
      const known = queries.get(query);
      if (typeof known === "object") return operationName === null || operationName === known.name ? known.run : null;
      if (known === undefined) queries.set(query, "seen");
      if (known !== "seen") return null;
      queries.set(query, "uncompiled");
      // A query that cannot be compiled is answered without this.
      compileInTurn(query).catch(() => {});
      return null;
    },
  };
}

/** Null for anything else than a valid query of data, alone in its document. */
function compile({ schema, compileText }: CompiledSubgraph, query: string): Compiled | null {
  const document = parse(query);
  if (validate(schema, document).length > 0) return null;
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const [operation] = operations;
  if (operations.length !== 1 || operation?.operation !== OperationTypeNode.QUERY || !selectsData(operation))
    return null;
  const executeGenerally = compileGenerally(schema, document);
  if (!executeGenerally) return null;
  const execute: Run = async (variables, context) => {
    const result = await executeGenerally(undefined, context, variables);
    return result.errors ? result : JSON.stringify(result);
  };
  const tryText = compileText?.(document, { form: GRAPHQL_FORM, scope: "answer" });
  return { run: tryText ? withText(tryText, execute) : execute, name: operation.name?.value ?? null };
}

/** False for introspection, and for fragments of the root, which are rare. */
function selectsData({ selectionSet }: OperationDefinitionNode): boolean {
  return selectionSet.selections.every(
    (node) => node.kind === Kind.FIELD && (node.name.value === "_entities" || !node.name.value.startsWith("_")),
  );
}

function withText(tryText: TryText, execute: Run): Run {
  return async (variables, context) => (await tryText(variables, context)) ?? execute(variables, context);
}
