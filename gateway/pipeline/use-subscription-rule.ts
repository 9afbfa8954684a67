import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import {
  type DocumentNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  OperationTypeNode,
  SingleFieldSubscriptionsRule,
  type ValidationRule,
  visit,
} from "graphql";
import type { GraphContext } from "./graph-context.ts";

const CONDITIONS: ReadonlySet<string> = new Set([GraphQLSkipDirective.name, GraphQLIncludeDirective.name]);

/** Validates subscriptions by `oneRootField` instead of the rule of graphql-js. */
export function useSubscriptionRule(): GatewayPlugin<GraphContext> {
  return {
    onValidate({ validateFn, setValidationFn }) {
      setValidationFn((schema, document, rules, ...rest) =>
        validateFn(schema, document, rules?.map(replaced), ...rest),
      );
    },
  };
}

const replaced = (rule: ValidationRule): ValidationRule =>
  rule === SingleFieldSubscriptionsRule ? oneRootField : rule;

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
