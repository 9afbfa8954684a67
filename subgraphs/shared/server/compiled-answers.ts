import { type ApolloServerPlugin, type BaseContext, HeaderMap } from "@apollo/server";
import { type FormattedExecutionResult, OperationTypeNode } from "graphql";
import { LRUCache } from "lru-cache";
import { GRAPHQL_FORM } from "../../../core/graph/answer-text/answer-form.ts";
import { type CompileText, isJsonText, type TryText } from "../../../core/graph/answer-text/answer-text.ts";

/** Operations whose compiled form is kept. A gateway sends few different ones. */
const MAX_OPERATIONS = 500;
/** With this header, Apollo Server adds a trace of its own execution to the answer. */
const TRACE_HEADER = "apollo-federation-include-trace";

/** The text of a whole answer, in place of its data. */
class AnswerText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The text of a result that Apollo Server sends. */
export function textOf(result: FormattedExecutionResult): string {
  return result.data instanceof AnswerText ? result.data.text : JSON.stringify(result);
}

/**
 * Answers queries by their compiled form. Apollo Server executes all others: mutations, queries that cannot be compiled, and those whose answer
 * has errors, because it makes the errors of its answers itself.
 */
export function answersCompiledQueries(compileText: CompileText): ApolloServerPlugin<BaseContext> {
  const compiled = new LRUCache<string, { readonly run: TryText | null }>({ max: MAX_OPERATIONS });
  return {
    requestDidStart: async () => ({
      async responseForOperation({ document, operation, queryHash = "", request, contextValue }) {
        const { definitions } = document;
        // There is no operation if its name is unknown.
        const isQuery = definitions[0] === operation && operation.operation === OperationTypeNode.QUERY;
        if (!isQuery || request.http?.headers.has(TRACE_HEADER)) return null;
        const known = compiled.get(queryHash) ?? {
          run: compileText(document, { form: GRAPHQL_FORM, scope: "answer" }),
        };
        compiled.set(queryHash, known);
        const answer = await known.run?.(request.variables ?? {}, contextValue);
        if (!isJsonText(answer)) return null;
        const singleResult = { data: new AnswerText(answer.toString()) as unknown as Record<string, unknown> };
        return { body: { kind: "single", singleResult }, http: { headers: new HeaderMap() } };
      },
    }),
  };
}
