import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";
import type { Network } from "../../../core/config/settings/network.ts";
import { Failure } from "../../../core/errors/errors.ts";
import { type Cost, VALUES_PER_ROW } from "../../../core/graph/cost.ts";
import { fragmentsOf, type Variables } from "../../../core/graph/graph-document.ts";
import { type CostOf, compileCost } from "../../../core/graph/operation-cost.ts";
import type { Caller, Callers } from "../../../core/limits/access/callers.ts";
import type { CheckKey, KeyRequirements } from "../../../core/limits/access/key-requirements.ts";
import { countRejection } from "../../../core/observability/rejections.ts";
import { splitQuery } from "../introspection.ts";

/** What an operation needs and costs. Compiled once for each document and operation name. */
export interface OperationRules {
  /** Null if every caller may run the operation. */
  readonly checkKey: CheckKey | null;
  /** Throws `FORBIDDEN` if the API key is not valid for a network that the operation reads. */
  checkNetworks(caller: Caller, variables: Variables): void;
  /** Compute units that the operation costs with these variables: at least 1. */
  units(variables: Variables): number;
}

const VALUES_PER_UNIT = 100;
/** Introspection is answered without a subgraph, so it costs less than its size. */
const INTROSPECTION_UNITS = 100;

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
}

/** Compiles the rules of an operation of a valid document, which has this cost. */
export function compileRules(
  document: DocumentNode,
  operationName: string | null,
  costOf: CostOf,
  context: RulesContext,
): OperationRules {
  const { schema, requirements } = context;
  const split = splitQuery(document, operationName);
  const restCost = split ? split.rest && compileCost(schema, split.rest, operationName) : costOf;
  const introspectionUnits = split ? INTROSPECTION_UNITS : 0;
  const operation = getOperationAST(document, operationName);
  const roots = operation ? rootFields(operation, document, schema) : [];
  return {
    checkKey: requirements.ofDocument(document),
    checkNetworks(caller, variables) {
      if (!caller.networks) return;
      const { coerced, errors } = getVariableValues(schema, operation?.variableDefinitions ?? [], variables);
      // The executor refuses the variables.
      if (errors) return;
      for (const root of roots) checkNetwork(root, caller, coerced, context);
    },
    units: (variables) => introspectionUnits + (restCost ? unitsOf(restCost(variables)) : 0),
  };
}

interface RootField {
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
}

/** Root fields that read no data of a network, or only the export operations of the caller's own key. */
const WITHOUT_NETWORK: ReadonlySet<string> = new Set([
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
  { callers, nodeNetwork }: Pick<RulesContext, "callers" | "nodeNetwork">,
): void {
  if (WITHOUT_NETWORK.has(field.name)) return;
  const values = getArgumentValues(field, node, variables);
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

function rootFields(operation: OperationDefinitionNode, document: DocumentNode, schema: GraphQLSchema): RootField[] {
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
  const found: RootField[] = [];
  const visited = new Set<string>();
  const fragments = fragmentsOf(document);
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        const field = fields[node.name.value];
        if (field) found.push({ node, field });
      } else if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet);
      else if (!visited.has(node.name.value)) {
        visited.add(node.name.value);
        const fragment = fragments.get(node.name.value);
        if (fragment) collect(fragment.selectionSet);
      }
    }
  };
  collect(operation.selectionSet);
  return found;
}
