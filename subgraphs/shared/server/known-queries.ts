import {
  type ExecutionResult,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  validate,
} from "graphql";
import { heavyTurn } from "../../../core/admission/heavy-turns.ts";
import { GRAPHQL_FORM } from "../../../core/answer-text/answer-form.ts";
import type { CompileText, JsonText, TryText } from "../../../core/answer-text/answer-text.ts";
import { compileGenerally } from "../../../core/general-executor.ts";
import { createSharedCache } from "../../../core/shared-cache.ts";

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

interface Known {
  /** Null if the query is being compiled or cannot be compiled, and until it is sent a second time. */
  compiled: Compiled | null;
  isSentOnce: boolean;
}

interface Compiled {
  readonly run: Run;
  readonly name: string | null;
}

export function createKnownQueries(subgraph: CompiledSubgraph): KnownQueries {
  const queries = createSharedCache<Known>({ maxSize: MAX_CHARACTERS, sizeOf: ({ length }) => length + 1 });
  const compileInTurn = async (query: string, known: Known): Promise<void> => {
    await heavyTurn();
    known.compiled = compile(subgraph, query);
  };
  return {
    find(query, operationName) {
      if (query.length > MAX_QUERY_LENGTH) return null;
      const known = queries.get(query);
      // The gateway sends the queries of all callers.
      if (!known) queries.add(query, { compiled: null, isSentOnce: true }, null);
      if (known?.isSentOnce) {
        known.isSentOnce = false;
        // A query that cannot be compiled is answered without this.
        compileInTurn(query, known).catch(() => {});
      }
      const { run, name = null } = known?.compiled ?? {};
      return run && (operationName === null || operationName === name) ? run : null;
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
