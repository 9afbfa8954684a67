import {
  type DocumentNode,
  GraphQLError,
  type GraphQLScalarType,
  getNamedType,
  getNullableType,
  isListType,
  Kind,
  NoSchemaIntrospectionCustomRule,
  OperationTypeNode,
  SingleFieldSubscriptionsRule,
  specifiedRules,
  type ValidationRule,
  type ValueNode,
  visit,
} from "graphql";
import { Failure } from "../../core/errors/errors.ts";
import { Address, Hash, Percentage, Quantity, Selector, Timestamp } from "../../core/graph/scalars.ts";
import { CONDITIONS } from "./normalise.ts";

/** The rules of the specification, with that of subscriptions replaced by `oneRootField`, and those of Moraine. */
export function validationRules(allowsIntrospection: boolean): readonly ValidationRule[] {
  const rules = specifiedRules.map((rule) => (rule === SingleFieldSubscriptionsRule ? oneRootField : rule));
  return [...rules, literalValues, ...(allowsIntrospection ? [] : [NoSchemaIntrospectionCustomRule])];
}

/**
 * A subscription has one root field, whatever its conditions are. The rule of graphql-js evaluates the conditions and throws
 * if they read a variable, which has no value yet.
 */
const oneRootField: ValidationRule = (context) => {
  let document: DocumentNode | null = null;
  const unconditional = Object.create(context, {
    getDocument: { value: () => (document ??= withoutConditions(context.getDocument())) },
  });
  return {
    OperationDefinition(node) {
      if (node.operation === OperationTypeNode.SUBSCRIPTION)
        visit(withoutConditions(node), SingleFieldSubscriptionsRule(unconditional));
    },
  };
};

function withoutConditions<Node extends DocumentNode["definitions"][number] | DocumentNode>(node: Node): Node {
  return visit(node, { [Kind.DIRECTIVE]: ({ name }) => (CONDITIONS.has(name.value) ? null : undefined) });
}

/** The gateway's own schema has these scalars only by name. */
const SCALARS = new Map<string, GraphQLScalarType>(
  [Address, Hash, Percentage, Quantity, Selector, Timestamp].map((scalar) => [scalar.name, scalar]),
);

/**
 * Refuses literals that break the rule of their scalar, with the name of the argument. Without this step, a subgraph would refuse them,
 * and its error has only the rule and the value.
 */
const literalValues: ValidationRule = (context) => {
  const check = (node: ValueNode): void => {
    const type = getNamedType(context.getInputType());
    const argument = context.getArgument();
    const scalar = type && SCALARS.get(type.name);
    if (!scalar || !argument) return;
    try {
      scalar.parseLiteral(node);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { code, message } = error;
      context.reportError(new GraphQLError(`${argument.name} ${message}`, { nodes: node, extensions: { code } }));
    }
  };
  // The items of a list are checked one by one.
  const checkList = (node: ValueNode): void => {
    if (!isListType(getNullableType(context.getParentInputType()))) check(node);
  };
  return {
    IntValue: check,
    FloatValue: check,
    StringValue: check,
    BooleanValue: check,
    EnumValue: check,
    ObjectValue: check,
    ListValue: checkList,
  };
};
