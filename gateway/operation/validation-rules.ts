import {
  type DocumentNode,
  Kind,
  NoSchemaIntrospectionCustomRule,
  OperationTypeNode,
  SingleFieldSubscriptionsRule,
  specifiedRules,
  type ValidationRule,
  visit,
} from "graphql";
import { literalValues } from "./literal-values.ts";
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
