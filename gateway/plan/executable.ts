import type { FetchNode, PlanNode } from "@graphql-hive/router-query-planner";
import { type DocumentNode, type ExecutionResult, GraphQLError, parse } from "graphql";
import { graphQLErrorOf } from "../../core/errors/errors.ts";
import type { AnswerForm } from "../../core/graph/answer-text.ts";
import { eventsUntilFailure, isEventStream, mapEvents } from "../../core/graph/event-stream.ts";
import type { RequestInfo } from "../../core/graph/graph-client.ts";
import { coercedVariables, type Variables } from "../../core/graph/graph-document.ts";
import { Overloaded } from "../../core/limits/admission/overloaded.ts";
import { compileBatchFetch, compileFlatten, mergeData } from "./entity-fetch.ts";
import {
  compileFetch,
  compileRunFetch,
  compileValue,
  type Fetch,
  locatedIn,
  type PlanContext,
  type Run,
  type Step,
} from "./fetch.ts";
import { compileProjection, type DataObject, type Missing, type ProjectObject } from "./projection.ts";
import { compileRewrites } from "./rewrites.ts";
import { hasSameShape } from "./same-shape.ts";
import { isLocal, type Subgraph } from "./subgraph.ts";
import { compileSubscription } from "./subscription.ts";

/** Runs the making of an event as a part of its subscription's request, when it is its turn. */
export type InTurn = <Event>(make: (request: RequestInfo) => Promise<Event>) => Promise<Event>;

/** Starts a subscription. Returns its events, or a result if it is refused. */
export type Subscribe = (
  variables: Variables,
  request: RequestInfo,
  inTurn: InTurn,
) => Promise<AsyncIterable<ExecutionResult> | ExecutionResult>;

/** An operation whose plan is compiled. */
export interface Executable {
  /** Runs a query or a mutation. Returns the text of the whole answer, `{"data":…}`, or a result. */
  readonly run: Fetch;
  /** Starts a subscription. */
  readonly subscribe: Subscribe;
  /**
   * Compiles a query to the text of the value of its only root field in another form. Null if no subgraph of this process can write it. If
   * the value is null or there are errors, the compiled query returns a result.
   */
  compileValue(form: AnswerForm): Fetch | null;
}

/**
 * Compiles a plan. The answer of a plan with one fetch is passed on as it is if it has the shape of the caller's selection. Otherwise, the
 * data of all fetches are merged, and what the caller has selected is copied to the answer.
 */
export function compileExecutable(node: PlanNode | null, context: PlanContext): Executable {
  const subscription = node && splitSubscription(node, context);
  if (subscription) return { ...NOTHING, subscribe: compileEvents(subscription, context) };
  const passed = node && passedOperation(node, context);
  if (!passed) return { ...NOTHING, run: compileQuery(node, context) };
  return {
    ...NOTHING,
    run: compilePassed(passed, context),
    compileValue: (form) => (isLocal(passed.subgraph) ? compileValue(passed.subgraph, passed.document, form) : null),
  };
}

/** A query or a mutation that this function runs. */
export const executableOf = (run: Fetch): Executable => ({ ...NOTHING, run });

const NOTHING: Executable = {
  run: () => Promise.reject(new Error("a subscription is run as a query")),
  subscribe: () => Promise.reject(new Error("a query is started as a subscription")),
  compileValue: () => null,
};

/** The operation of a subgraph whose answer is the answer to the caller. */
interface Passed {
  readonly subgraph: Subgraph;
  readonly operation: string;
  readonly document: DocumentNode;
}

/** Null if there is none. */
function passedOperation(node: PlanNode, context: PlanContext): Passed | null {
  if (node.kind !== "Fetch" || node.outputRewrites?.length) return null;
  const { operation, serviceName } = node;
  const document = parse(operation);
  return hasSameShape(context, document) ? { subgraph: context.subgraphOf(serviceName), operation, document } : null;
}

/** A fetch that throws has the result with its error. A subgraph in this process checks variables itself. */
function compilePassed({ subgraph, operation, document }: Passed, context: PlanContext): Fetch {
  const fetch = compileFetch(subgraph, operation, document);
  const locate = locatedIn(document);
  const run: Fetch = async (variables, request) => {
    try {
      return await fetch(variables, request);
    } catch (error) {
      if (error instanceof Overloaded) throw error;
      return { data: null, errors: [locate(graphQLErrorOf(error))] };
    }
  };
  return isLocal(subgraph) ? run : checkedFirst(run, context);
}

/**
 * Compiles the plan of a query or a mutation whose data are copied to the answer; null if there is nothing to fetch. `change` changes the data
 * of the subgraphs before they are copied, and gets the entities that a subgraph has found.
 */
export function compileQuery(
  node: PlanNode | null,
  context: PlanContext,
  change?: (data: DataObject, found: ReadonlySet<unknown>) => void,
): Fetch {
  const step = node && compileStep(node, context);
  const project = compileProjection(context);
  return checkedFirst(async (variables, request) => {
    const found = change && new Set();
    const run: Run = { variables, request, data: {}, errors: [], found };
    await step?.(run);
    if (found) change?.(run.data, found);
    return projectedResult(run, project);
  }, context);
}

/** Checks the variables before anything is fetched. A subgraph in this process that answers alone does this itself. */
function checkedFirst<Args extends readonly unknown[], Answer>(
  run: (variables: Variables, ...args: Args) => Promise<Answer>,
  { schema, operation }: PlanContext,
): (variables: Variables, ...args: Args) => Promise<Answer | ExecutionResult> {
  return async (variables, ...args) => {
    const { errors } = coercedVariables(schema, operation.variableDefinitions, variables);
    return errors ? { errors } : run(variables, ...args);
  };
}

type Subscription = NonNullable<ReturnType<typeof splitSubscription>>;

/** Adds the fields of other subgraphs to each event. */
function compileEvents({ primary, rest }: Subscription, context: PlanContext): Subscribe {
  const document = parse(primary.operation);
  const { start, eventOf } = compileSubscription(context.subgraphOf(primary.serviceName), primary.operation, document);
  const isPassed = !rest && hasSameShape(context, document);
  const change = isPassed ? null : compileEvent(rest, compileProjection(context));
  return checkedFirst(async (variables, request: RequestInfo, inTurn: InTurn) => {
    const source = await start(variables, request);
    if (!isEventStream(source)) return source as ExecutionResult;
    const events = mapEvents(source, (said) =>
      inTurn(async (part) => {
        const event = await eventOf(said, variables, part);
        return change ? change(event, variables, part) : event;
      }),
    );
    return eventsUntilFailure(events, (thrown) => ({ data: null, errors: [graphQLErrorOf(thrown)] }));
  }, context);
}

function compileEvent(rest: Step | null, project: ProjectObject) {
  return async (event: ExecutionResult, variables: Variables, request: RequestInfo): Promise<ExecutionResult> => {
    if (!event.data) return event;
    const run: Run = { variables, request, data: { ...event.data }, errors: [...(event.errors ?? [])] };
    await rest?.(run);
    return projectedResult(run, project);
  };
}

/** Compiles a plan, or a part of one. Throws for parts that the planner does not make for operations without `@skip` and `@include`. */
function compileStep(node: PlanNode, context: PlanContext): Step {
  switch (node.kind) {
    case "Fetch":
      return compileRootFetch(node, context);
    case "Flatten":
      return compileFlatten(node, context);
    case "BatchFetch":
      return compileBatchFetch(node, context);
    case "Sequence":
      return inSequence(node.nodes.map((part) => compileStep(part, context)));
    case "Parallel": {
      const steps = node.nodes.map((part) => compileStep(part, context));
      return async (run) => void (await Promise.all(steps.map((step) => step(run))));
    }
    default:
      throw new Error(`a plan has a part of the unknown kind ${node.kind}`);
  }
}

function inSequence(steps: readonly Step[]): Step {
  return async (run) => {
    for (const step of steps) await step(run);
  };
}

/** The subscription of a plan, and what it does for each event; null if the plan is none. */
function splitSubscription(
  node: PlanNode,
  context: PlanContext,
): { readonly primary: FetchNode; readonly rest: Step | null } | null {
  if (node.kind === "Subscription") return { primary: node.primary, rest: null };
  const [first, ...others] = node.kind === "Sequence" ? node.nodes : [];
  if (first?.kind !== "Subscription") return null;
  return { primary: first.primary, rest: inSequence(others.map((part) => compileStep(part, context))) };
}

/** A subgraph reports why a value is null that must not be null. Only if it did not, this is an error of its own. */
function projectedResult({ data, errors }: Pick<Run, "data" | "errors">, project: ProjectObject): ExecutionResult {
  const missing: Missing = [];
  const projected = project(data, missing);
  if (errors.length > 0) return { data: projected, errors };
  const [first] = missing;
  if (first === undefined) return { data: projected };
  return { data: projected, errors: [new GraphQLError(`Cannot return null for non-nullable field ${first}.`)] };
}

function compileRootFetch(node: FetchNode, context: PlanContext): Step {
  const document = parse(node.operation);
  const fetch = compileRunFetch(node, context, document);
  const rewrite = compileRewrites(node.outputRewrites, context.types);
  const locate = locatedIn(document);
  return async (run) => {
    const { data, errors = [] } = await fetch(run, {});
    for (const error of errors) run.errors.push(locate(error));
    if (!data) return;
    rewrite?.(data);
    mergeData(run.data, data);
  };
}
