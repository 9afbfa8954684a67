import { type ApolloServerPlugin, type BaseContext, HeaderMap } from "@apollo/server";
import { type DocumentNode, type FormattedExecutionResult, OperationTypeNode } from "graphql";
import { type CompileText, GRAPHQL_FORM, isJsonText, type TryText } from "../../../core/graph/answer-text.ts";

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
  // Apollo Server keeps the documents that it has parsed.
  const compiled = new WeakMap<DocumentNode, TryText | null>();
  const compile = (document: DocumentNode): TryText | null => {
    const known = compiled.get(document);
    if (known !== undefined) return known;
    const made = compileText(document, { form: GRAPHQL_FORM, scope: "answer" });
    compiled.set(document, made);
    return made;
  };
  return {
    requestDidStart: async () => ({
      async responseForOperation({ document, operation, request, contextValue }) {
        // There is no operation if its name is unknown.
        const isQuery = document.definitions[0] === operation && operation.operation === OperationTypeNode.QUERY;
        if (!isQuery || request.http?.headers.has(TRACE_HEADER)) return null;
        const answer = await compile(document)?.(request.variables ?? {}, contextValue);
        if (!isJsonText(answer)) return null;
        const singleResult = { data: new AnswerText(answer.toString()) as unknown as Record<string, unknown> };
        return { body: { kind: "single", singleResult }, http: { headers: new HeaderMap() } };
      },
    }),
  };
}
