import { type ExecutionResult, parse } from "graphql";
import { oncePer } from "../core/async/once.ts";
import { mapYielding } from "../core/async/yield-to-event-loop.ts";
import { graphQLErrorOf } from "../core/errors/errors.ts";
import { type AnswerForm, isJsonText, type JsonText } from "../core/graph/answer-text.ts";
import type { GraphClient, RequestInfo } from "../core/graph/graph-client.ts";
import type { Variables } from "../core/graph/graph-document.ts";
import { OTHER_OPERATIONS, observeOperation } from "../core/observability/observe.ts";
import { knownDocument, type Operation, type OperationContext, operationOf } from "./operation/operation.ts";
import type { Executable } from "./plan/executable.ts";
import { type Fetch, resultOf } from "./plan/fetch.ts";
import { type PublicError, withPublicErrors } from "./public-error.ts";

/** Runs prepared operations, whose callers are admitted already. */
export interface PreparedOperations extends Required<Pick<GraphClient, "prepare" | "prepareText">> {
  /** Plans and compiles all prepared operations. Requests are served meanwhile. */
  warmUp(): Promise<void>;
}

/** Keeps every prepared document. Only Moraine's own documents are prepared, so they are few. */
export function createPreparedOperations(context: OperationContext, publicError: PublicError): PreparedOperations {
  const operations = new Map<string, Operation>();
  const compilations: (() => unknown)[] = [];
  const operationOfText = (document: string): Operation => {
    const known = operations.get(document);
    if (known) return known;
    const operation = operationOf(knownDocument(parse(document), document), null, context);
    if (!operation) throw new Error("a prepared document must have one operation");
    operations.set(document, operation);
    return operation;
  };
  const prepared = (document: string, form: AnswerForm | null) => {
    const operation = operationOfText(document);
    const fetchOf = createFetchOf(operation, form);
    compilations.push(() => fetchOf({}));
    const observed = observeOperation(operation.name ?? OTHER_OPERATIONS, operation.kind);
    const run = async (variables: Variables, request: RequestInfo): Promise<JsonText | ExecutionResult> => {
      let answer: JsonText | ExecutionResult;
      try {
        const fetch = fetchOf(variables);
        answer = await (fetch instanceof Promise ? await fetch : fetch)(variables, request);
      } catch (error) {
        answer = { data: null, errors: [graphQLErrorOf(error)] };
      }
      return isJsonText(answer) ? answer : withPublicErrors(answer, publicError, request.requestId);
    };
    return (variables: Variables, request: RequestInfo) => observed(() => run(variables, request));
  };
  return {
    prepare(document) {
      const run = prepared(document, null);
      return async (variables, request) => resultOf(await run(variables, request));
    },
    prepareText: prepared,
    async warmUp() {
      await mapYielding(compilations, (compile) => compile());
    },
  };
}

type FetchOf = (variables: Variables) => Fetch | Promise<Fetch>;

/** Returns the compiled operation: the text of its value in a form if a subgraph can write it, otherwise its result. */
function createFetchOf(operation: Operation, form: AnswerForm | null): FetchOf {
  const fetchOf = oncePer(
    (executable: Executable): Fetch => (form && executable.compileValue(form)) ?? withResult(executable.run),
  );
  return (variables) => {
    const executable = operation.formOf(variables, null);
    return executable instanceof Promise ? executable.then(fetchOf) : fetchOf(executable);
  };
}

function withResult(fetch: Fetch): Fetch {
  return async (variables, request) => resultOf(await fetch(variables, request));
}
