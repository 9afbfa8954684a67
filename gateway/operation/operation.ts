import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  type OperationTypeNode,
} from "graphql";
import { once } from "../../core/async/once.ts";
import { untilIdle } from "../../core/async/until-idle.ts";
import { Failure } from "../../core/errors/errors.ts";
import { coercedVariables, type Variables } from "../../core/graph/graph-document.ts";
import { type CostOf, compileCost, type OperationCost } from "../../core/graph/operation-cost.ts";
import { type CostClassOf, compileCostClass } from "../../core/limits/admission/cost-class.ts";
import {
  isObserving,
  type ObserveOperation,
  OTHER_OPERATIONS,
  observeOperation,
} from "../../core/observability/observe.ts";
import type { Executable } from "../plan/executable.ts";
import { compileRules, type OperationRules, type RulesContext, type Sender } from "./access.ts";
import { compileForm, type FormContext } from "./form.ts";
import { conditionVariables, needsNormalising, normalise } from "./normalise.ts";
import { RequestError } from "./request-error.ts";
import { createSharedCache } from "./shared-cache.ts";

/** A valid document, with its operations. What is made for an operation lives as long as the document is kept. */
export interface KnownDocument {
  readonly node: DocumentNode;
  /** UTF-16 code units of its text. */
  readonly characters: number;
  /** By name; null is the only operation. */
  readonly operations: Map<string | null, Operation>;
}

export const knownDocument = (node: DocumentNode, { length }: string): KnownDocument => ({
  node,
  characters: length,
  operations: new Map(),
});

/** An operation, with what is made for it once: when it is first needed, and then kept. */
export interface Operation {
  /** Null for an operation without a name. */
  readonly name: string | null;
  readonly kind: OperationTypeNode;
  /** The document, which may have other operations. */
  readonly document: DocumentNode;
  /** The schema by which the document is valid. */
  readonly schema: GraphQLSchema;
  /** UTF-16 code units of its document. */
  readonly characters: number;
  readonly costOf: CostOf;
  readonly costClassOf: CostClassOf;
  readonly rules: () => OperationRules;
  /**
   * Its compiled form for these variables: `@skip` and `@include` are applied before it is planned. Throws a request error if the variables of
   * conditions do not fit. `owner` is the caller, see `Callers.shareOf`.
   */
  formOf: FormOf;
}

/** An operation with the variables with which somebody wants to run it. */
export interface RequestedOperation {
  readonly operation: Operation;
  readonly variables: Variables;
  readonly cost: OperationCost;
}

/** See `Operation.formOf`. */
export type FormOf = (variables: Variables, owner: string | null) => Executable | Promise<Executable>;

/** What operations are compiled with. */
export interface OperationContext extends RulesContext, FormContext {}

/** The operation of a document with this name, or the only one. Null if the document does not have it. */
export function operationOf(document: KnownDocument, name: string | null, context: OperationContext): Operation | null {
  const known = document.operations.get(name);
  if (known) return known;
  const node = getOperationAST(document.node, name);
  if (!node) return null;
  const operation = createOperation(document, node, name, context);
  document.operations.set(name, operation);
  return operation;
}

function createOperation(
  document: KnownDocument,
  node: OperationDefinitionNode,
  name: string | null,
  context: OperationContext,
): Operation {
  return {
    name: node.name?.value ?? null,
    kind: node.operation,
    document: document.node,
    schema: context.schema,
    characters: document.characters,
    costOf: compileCost(context.schema, document.node, name),
    costClassOf: compileCostClass(document.node),
    rules: once(() => compileRules(document.node, name, context)),
    formOf: createForms(document.node, node, name, context),
  };
}

/**
 * Maximum number of compiled forms that are kept for an operation: one for each combination of condition values, which callers
 * choose.
 */
const MAX_FORMS = 20;

function createForms(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  name: string | null,
  context: OperationContext,
): FormOf {
  const { planner, schema } = context;
  if (!needsNormalising(document, planner.keyFields)) {
    const form = createForm(() => compileForm(context, { document, names: null }, name));
    return () => form();
  }
  const conditions = conditionVariables(document);
  const forms = createSharedCache<ReturnType<typeof createForm>>({ maxSize: MAX_FORMS, sizeOf: () => 1 });
  return (variables, owner) => {
    const { coerced, errors } = coercedVariables(schema, operation.variableDefinitions, variables);
    if (errors) throw new RequestError(errors);
    const key = conditions.map((condition) => coerced[condition]).join();
    const known = forms.get(key);
    if (known) return known();
    const normalised = normaliseOrRefuse(document, operation, coerced, planner.keyFields);
    const form = createForm(() => compileForm(context, normalised, name));
    forms.add(key, form, owner);
    return form();
  };
}

/** To plan an operation and to compile it takes milliseconds each, so the event loop does other work in between. */
function createForm(compile: () => Executable): () => Executable | Promise<Executable> {
  let made: Executable | Promise<Executable> | null = null;
  const make = async (): Promise<Executable> => {
    try {
      await untilIdle();
      made = compile();
      await untilIdle();
      return made;
    } catch (error) {
      made = null;
      throw error;
    }
  };
  return () => (made ??= make());
}

/** Throws `INVALID_PARAMETER` as a request error if normalising throws, for example because the variable of a condition is null. */
function normaliseOrRefuse(...args: Parameters<typeof normalise>): ReturnType<typeof normalise> {
  try {
    return normalise(...args);
  } catch (error) {
    if (error instanceof GraphQLError) throw new RequestError([new Failure("INVALID_PARAMETER", error.message, error)]);
    throw error;
  }
}

/** Measures and traces operations. */
export interface Observers {
  /** `sender` is null for REST in a process of its own. */
  of(operation: Operation, sender: Sender | null): ObserveOperation;
}

/**
 * In metrics, only operations from the list of allowed operations, or from REST in a process of its own, have their names: a name that a
 * caller chooses would create a new series. All others count as `other`.
 */
export function createObservers({ isListed }: { readonly isListed: boolean }): Observers {
  const byName = new Map<string, ObserveOperation>();
  return {
    of({ kind, name }, sender) {
      if (!isObserving()) return unobserved;
      const shown = ((isListed || !sender) && name) || OTHER_OPERATIONS;
      const key = `${kind} ${shown}`;
      const observer = byName.get(key) ?? observeOperation(shown, kind);
      byName.set(key, observer);
      return observer;
    },
  };
}

const unobserved: ObserveOperation = (run) => run();

/** For operations that somebody else measures. */
export const NO_OBSERVERS: Observers = { of: () => unobserved };
