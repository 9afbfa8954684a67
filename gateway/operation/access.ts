import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
} from "graphql";
import type { Network } from "../../core/config/settings/network.ts";
import { FAILURES, Failure } from "../../core/errors/errors.ts";
import { type Cost, formatCount, VALUES_PER_ROW } from "../../core/graph/cost.ts";
import { coercedVariables, rootFieldsOf, type Variables } from "../../core/graph/graph-document.ts";
import { compileCost, type OperationCost } from "../../core/graph/operation-cost.ts";
import type { ApiKeys } from "../../core/limits/access/api-keys.ts";
import { type Caller, type Callers, NO_LIMITS, type RateLimits } from "../../core/limits/access/callers.ts";
import type { CheckKey, KeyRequirements } from "../../core/limits/access/key-requirements.ts";
import { type ChargeCaller, REFUSED_UNITS, smallerLimit } from "../../core/limits/access/rate-limit.ts";
import { countRejection } from "../../core/observability/rejections.ts";
import type { Planner } from "../plan/planner.ts";
import { ENTITIES_FIELD, SERVICE_FIELD } from "../schemas/federation-fields.ts";
import type { Representation } from "../schemas/representations.ts";
import { tooComplex } from "./limits.ts";
import { RequestError } from "./request-error.ts";
import { splitQuery } from "./split-query.ts";

/** What decides whether a caller may run an operation. */
export interface Access {
  /** Token that a REST server in another process sends. That server checks and charges its requests itself. Null if there is none. */
  readonly internalToken: string | null;
  readonly apiKeys: ApiKeys;
  readonly callers: Callers;
  /** See `nodeInterfaceNetwork`. */
  readonly nodeNetwork: Network;
  readonly charge: ChargeCaller;
  readonly requirements: KeyRequirements;
}

/** The caller who sends an operation, and the charge for it. */
export interface Sender {
  readonly client: Caller;
  readonly payment: OperationCharge;
  /** Identifies the caller for all limits, see `Callers.shareOf`. */
  readonly share: string;
  /** Of the request, or of that which opened the connection. */
  readonly headers: IncomingHttpHeaders;
}

/** An operation whose caller has to be admitted. */
export interface PricedOperation {
  readonly operation: { readonly rules: () => OperationRules };
  readonly variables: Variables;
  readonly cost: OperationCost;
}

/**
 * Refuses an operation for which the caller needs another API key, and charges it. Throws or rejects if it is refused. Compiles nothing if
 * nothing has to be checked, as for most callers. For `refuse` see `ChargeCaller`.
 */
export function admitCaller(
  requirements: KeyRequirements,
  { client, payment }: Sender,
  { operation, variables, cost }: PricedOperation,
  refuse: () => Failure | null,
): Promise<void> | undefined {
  const { limits, networks, apiKey } = client;
  if (limits === NO_LIMITS && networks === null && requirements.isEmpty) return undefined;
  const { checkKey, checkNetworks, units } = operation.rules();
  checkKey?.(apiKey);
  checkNetworks(client, variables);
  return payment.pay(units(variables, cost), refuse);
}

/** Waiting would not help an operation that costs more than a whole limit. */
function requireAffordable(limits: RateLimits, units: number): void {
  const name = smallerLimit(limits, units);
  if (name)
    throw tooComplex(
      `this operation costs ${formatCount(units)} compute units, more than the limit of ${formatCount(limits[name])} per ${name}: request less data`,
    );
}

/** What an event of a subscription costs its caller. */
export function unitsOfEvent({ limits }: Caller, { operation, variables, cost }: PricedOperation): number {
  return limits === NO_LIMITS ? 0 : operation.rules().units(variables, cost);
}

/** What an operation needs and costs. Compiled once for each document and operation name. */
export interface OperationRules {
  /** Null if every caller may run the operation. */
  readonly checkKey: CheckKey | null;
  /** Throws `FORBIDDEN` if the API key is not valid for a network that the operation reads. */
  checkNetworks(caller: Caller, variables: Variables): void;
  /** Compute units of the operation with these variables, whose answer has this cost: at least 1. */
  units(variables: Variables, cost: OperationCost): number;
}

const VALUES_PER_UNIT = 100;
/** Introspection and the SDL of the graph are answered without a subgraph, so they cost less than their size. */
const SCHEMA_UNITS = 100;

/** The compute units of an answer of this size. */
function unitsOf({ rows, values }: Cost): number {
  return Math.max(1, Math.ceil((rows * VALUES_PER_ROW + values) / VALUES_PER_UNIT));
}

export interface RulesContext {
  readonly schema: GraphQLSchema;
  readonly callers: Callers;
  /** See `nodeInterfaceNetwork`. */
  readonly nodeNetwork: Network;
  readonly requirements: KeyRequirements;
  readonly planner: Planner;
}

/** Compiles the rules of an operation of a valid document. */
export function compileRules(
  document: DocumentNode,
  operationName: string | null,
  context: RulesContext,
): OperationRules {
  const { schema, requirements } = context;
  const split = splitQuery(document, operationName);
  const isSchemaRead = split !== null && (split.introspection !== null || split.service !== null);
  const costs = [split?.entities, split?.rest].flatMap((part) =>
    part ? [compileCost(schema, part, operationName)] : [],
  );
  const operation = getOperationAST(document, operationName);
  const fields = (operation && schema.getRootType(operation.operation)?.getFields()) ?? {};
  const roots = operation ? rootFieldsOf(document, operation) : [];
  return {
    checkKey: requirements.ofDocument(document),
    checkNetworks(caller, variables) {
      if (!caller.networks) return;
      const { coerced } = coercedVariables(schema, operation?.variableDefinitions, variables);
      // The executor refuses the variables.
      if (!coerced) return;
      for (const node of roots) {
        const field = fields[node.name.value];
        if (field) checkNetwork({ node, field }, caller, coerced, context);
      }
    },
    units: (variables, cost) =>
      isSchemaRead ? costs.reduce((sum, costOf) => sum + unitsOf(costOf(variables)), SCHEMA_UNITS) : unitsOf(cost),
  };
}

interface RootField {
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
}

/** Root fields that read no data of a network, or only the export operations of the caller's own key. */
const WITHOUT_NETWORK: ReadonlySet<string> = new Set([
  SERVICE_FIELD,
  "cancelOperation",
  "health",
  "healthChanged",
  "liveness",
  "operation",
  "operationUpdated",
  "operations",
  "operationsUpdated",
  "readiness",
]);
/** Root field of the node interface. Without the argument `network`, it reads `nodeNetwork`. */
const NODE_FIELD = "node";
/** Arguments that determine the network. */
const NETWORK_ARGUMENTS = ["network", "chainId", "request"];

/** Throws `FORBIDDEN`. Only root fields are checked, because the fields below a root field read only its network. */
function checkNetwork(
  { node, field }: RootField,
  caller: Caller,
  variables: Variables,
  { callers, nodeNetwork, planner }: Pick<RulesContext, "callers" | "nodeNetwork" | "planner">,
): void {
  if (WITHOUT_NETWORK.has(field.name)) return;
  const values = getArgumentValues(field, node, variables);
  if (field.name === ENTITIES_FIELD) {
    const { representations } = values as { readonly representations: readonly unknown[] };
    for (const given of representations) checkEntity(planner.readRepresentation(given), caller, callers);
    return;
  }
  if (field.name === NODE_FIELD) {
    callers.requireNetwork(caller, { network: values["network"] ?? nodeNetwork });
    return;
  }
  if (NETWORK_ARGUMENTS.every((name) => values[name] === undefined || values[name] === null)) {
    const [argument] = NETWORK_ARGUMENTS.filter((name) => field.args.some((one) => one.name === name));
    const remedy = argument ? `: give ${argument}` : "";
    countRejection("forbidden");
    throw new Failure(
      "FORBIDDEN",
      `${field.name} reads several networks, and the API key is not valid for all${remedy}`,
    );
  }
  callers.requireNetwork(caller, values);
}

/** Entities that are of no network: export operations, which only the caller's own key reads. */
const ENTITIES_WITHOUT_NETWORK: ReadonlySet<string> = new Set(["Operation"]);

/** Throws `FORBIDDEN`. What names no entity is refused when the operation runs. */
function checkEntity(entity: Representation | Failure, caller: Caller, callers: Callers): void {
  if (entity instanceof Failure || ENTITIES_WITHOUT_NETWORK.has(entity.typename)) return;
  const { typename, key } = entity;
  if (NETWORK_ARGUMENTS.every((name) => key[name] === undefined)) {
    countRejection("forbidden");
    throw new Failure(
      "FORBIDDEN",
      `an entity ${typename} has data of several networks, and the API key is not valid for all`,
    );
  }
  callers.requireNetwork(caller, key);
}

/**
 * What one operation costs its caller, by the same rule over HTTP, event streams and WebSockets. An operation that runs costs its units. One
 * that is refused before that costs one unit, whatever the reason is; nothing if the reason is the service, which is overloaded or shutting
 * down. An operation that is refused because the units are used up costs nothing. A route of REST and a method of the node interface have a
 * fixed price, which is also the price of a refusal.
 */
export interface OperationCharge {
  /** The rate limit headers of the answer, names and values alternating. */
  readonly headers: string[];
  /**
   * Charges the operation, which is about to run: its units, or the fixed price. Throws if waiting would not help, because the units
   * are more than a whole limit. For `refuse` and the result see `ChargeCaller`.
   */
  pay(units: number, refuse: () => Failure | null): Promise<void> | undefined;
  /** Notes why the operation is refused. Not needed if the reason is the operation or its caller. */
  refused(reason: unknown): void;
  /**
   * Must be called before the operation is answered: charges it if it was refused. Throws or rejects with `RATE_LIMITED`, which is then the
   * answer, if the units are used up.
   */
  settle(): Promise<void> | undefined;
}

export interface ChargeOptions {
  /** Get the rate limit headers of the answer. */
  readonly headers?: string[];
  /** Units of the operation, whatever its answer costs. Null if its cost decides. */
  readonly fixedUnits?: number | null;
}

/** The sender of an operation that came with this request, or over the connection that this request opened. */
export function createSender(
  client: Caller,
  request: IncomingMessage,
  { callers, charge }: Pick<Access, "callers" | "charge">,
  options?: ChargeOptions,
): Sender {
  return {
    client,
    payment: createOperationCharge(client, charge, options),
    share: callers.shareOf(client, request),
    headers: request.headers,
  };
}

export function createOperationCharge(
  client: Caller,
  charge: ChargeCaller,
  { headers = [], fixedUnits = null }: ChargeOptions = {},
): OperationCharge {
  let isSettled = false;
  return {
    headers,
    pay(units, refuse) {
      if (fixedUnits === null) requireAffordable(client.limits, units);
      isSettled = true;
      return charge(client, fixedUnits ?? units, headers, refuse);
    },
    refused(reason) {
      if (reason instanceof Failure && reason.code === "UNAVAILABLE") isSettled = true;
    },
    settle() {
      if (isSettled) return undefined;
      isSettled = true;
      return charge(client, fixedUnits ?? REFUSED_UNITS, headers);
    },
  };
}

/** The error of an operation whose caller has no units left. It is a request error, because nothing has run. */
export function unpaid(error: unknown): unknown {
  return error instanceof Failure ? new RequestError([error], FAILURES[error.code].http) : error;
}
