import { collectSchemaCoordinates } from "@graphql-hive/core";
import { type Change, ChangeType, CriticalityLevel, type Rule } from "@graphql-inspector/core";
import { type GraphQLSchema, isInterfaceType, isObjectType, parse, TypeInfo, validate } from "graphql";

/** What operations use of a schema. */
export interface Usage {
  /** Coordinates such as `Query.chain`, `Query.chain.chainId`, `NftFilter.owner` and `Network.MAINNET`. */
  readonly coordinates: ReadonlySet<string>;
  /** Operations that are not valid for the schema, by id: nothing can be said of them. */
  readonly invalid: readonly string[];
}

/** The usage of documents, by id. Values of variables are not known, so an operation uses all of the input type of a variable. */
export function usageOf(schema: GraphQLSchema, documents: ReadonlyMap<string, string>): Usage {
  const coordinates = new Set<string>();
  const invalid: string[] = [];
  for (const [id, text] of documents) {
    const documentNode = parse(text);
    if (validate(schema, documentNode).length > 0) invalid.push(id);
    else {
      const typeInfo = new TypeInfo(schema);
      const options = { documentNode, schema, typeInfo, variables: null, processVariables: false };
      for (const coordinate of collectSchemaCoordinates(options)) coordinates.add(coordinate);
    }
  }
  return { coordinates, invalid };
}

/**
 * A breaking change of what no operation uses is dangerous instead. The rule `considerUsage` of GraphQL Inspector is not used, because a change of
 * `Query.block` would also hide one of `Query.blocks`.
 */
export function unusedIsDangerous({ coordinates }: Usage): Rule {
  return ({ changes, oldSchema }) =>
    changes.map((change): Change => {
      const { criticality, message } = change;
      if (criticality.level !== CriticalityLevel.Breaking || isUsed(change, coordinates, oldSchema)) return change;
      return {
        ...change,
        criticality: { ...criticality, level: CriticalityLevel.Dangerous },
        message: `${message} (no recorded operation uses it)`,
      };
    });
}

function isUsed({ type, path }: Change, coordinates: ReadonlySet<string>, schema: GraphQLSchema | null): boolean {
  // Changes of directives and of the root types.
  if (!path || path.startsWith("@")) return true;
  const [typeName = "", member, argument] = path.split(".");
  const isTypeUsed = () => [...coordinates].some((one) => one === typeName || one.startsWith(`${typeName}.`));
  switch (type) {
    case ChangeType.TypeRemoved:
    // A new input field can be required, and a value that a changed one had need not be valid.
    case ChangeType.InputFieldAdded:
    case ChangeType.InputFieldTypeChanged:
      return isTypeUsed();
    case ChangeType.InputFieldRemoved:
    case ChangeType.EnumValueRemoved:
      return coordinates.has(path);
    case ChangeType.FieldArgumentRemoved:
      return ownersOf(typeName, schema).some((owner) => coordinates.has(`${owner}.${member}.${argument}`));
    // The argument can be required.
    case ChangeType.FieldArgumentAdded:
    case ChangeType.FieldArgumentTypeChanged:
    case ChangeType.FieldRemoved:
    case ChangeType.FieldTypeChanged:
      return ownersOf(typeName, schema).some((owner) => coordinates.has(`${owner}.${member}`));
    default:
      return true;
  }
}

/** A type, and the interfaces through which operations may select its fields. */
function ownersOf(name: string, schema: GraphQLSchema | null): string[] {
  const type = schema?.getType(name);
  const interfaces = isObjectType(type) || isInterfaceType(type) ? type.getInterfaces() : [];
  return [name, ...interfaces.map((one) => one.name)];
}
