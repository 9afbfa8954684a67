import {
  type DocumentNode,
  type ExecutionResult,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import type { CompileText, JsonText, TextOptions, TryText } from "../../../core/answer-text/answer-text.ts";
import { type SelectedField, selectedFields } from "../../../core/answer-text/selection.ts";
import {
  compilePieces,
  createProgram,
  nullOr,
  type Piece,
  type Program,
  writeOf,
} from "../../../core/answer-text/writer.ts";
import type { DirectResolvers } from "../schema/direct-resolvers.ts";
import { loadObjects } from "./load-objects.ts";
import type { Needs } from "./needs.ts";
import { MAX_LEVELS, objectSource } from "./object-source.ts";
import { rootValueSchema } from "./root-values.ts";
import { TextRun } from "./text-run.ts";
import { Unwritable } from "./unwritable.ts";

/** Data of root fields, as their resolvers returned it. */
type Roots = Readonly<Record<string, unknown>>;
type WriteRoots = (roots: Roots, run: TextRun) => string;

/** Each level of resolvers needs one round, the fields of the objects of the last level one more, and then nothing is left to wait for. */
const MAX_ROUNDS = MAX_LEVELS + 2;

/**
 * Returns a function that compiles operations of the schema to text: an executor runs the root fields, and one generated function writes
 * the JSON of what their resolvers return, without a copy of it. Fields that have promises are left out, and the JSON is written again
 * when these are settled. The general executor answers operations with interfaces or unions, operations that cannot be compiled, such as
 * those with a wrong literal, and all answers with errors below a root field (docs/decisions/004-compiled-serialiser.md).
 */
export function createTextCompiler(schema: GraphQLSchema, directResolvers: DirectResolvers): CompileText {
  const rootSchema = rootValueSchema(schema);
  return (document, options) => {
    try {
      return compileText(schema, rootSchema, document, directResolvers, options);
    } catch (error) {
      if (error instanceof Unwritable || error instanceof GraphQLError) return null;
      throw error;
    }
  };
}

function compileText(
  schema: GraphQLSchema,
  rootSchema: GraphQLSchema,
  document: DocumentNode,
  directResolvers: DirectResolvers,
  { form, scope }: TextOptions,
): TryText {
  const needs: Needs = { fields: [], loads: [] };
  const fragments = fragmentsOf(document);
  const program = createProgram({ schema, fragments }, form, objectSource(directResolvers, needs));
  const operation = queryOf(document);
  const roots = rootFields(program, operation);
  const [only] = roots;
  if (!only || (scope === "value" && roots.length > 1)) throw new Unwritable("the operation has several root fields");
  const write = compilePieces<WriteRoots>(
    program,
    scope === "value" ? valuePieces(program, only) : answerPieces(program, roots),
  );
  const read = compileRoots(rootSchema, operation, roots);
  return async (variables, context) => {
    const run = new TextRun(context, needs.fields);
    const result = await read(run, context, variables);
    const { data, errors } = result;
    if (errors || !data) return roots.length === 1 ? result : null;
    if (scope === "value" && (data[only.key] ?? null) === null) return result;
    return writeSettled(write, data, run, needs);
  };
}

function fragmentsOf({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

function queryOf({ definitions }: DocumentNode): OperationDefinitionNode {
  const [operation] = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (operation?.operation !== OperationTypeNode.QUERY) throw new Unwritable("the operation is not a query");
  return operation;
}

function rootFields(program: Program, { selectionSet }: OperationDefinitionNode): SelectedField[] {
  const query = program.schema.getQueryType();
  const fields = query ? selectedFields(program, query, selectionSet.selections) : [];
  if (fields.some(({ isConditional, field }) => isConditional || field.startsWith("__")))
    throw new Unwritable("a root field is conditional or about the schema");
  return fields;
}

const rootExpression = ({ key }: SelectedField): string => `root[${JSON.stringify(key)}]`;

function valuePieces(program: Program, root: SelectedField): Piece[] {
  return writeOf(program, root.type, root)(rootExpression(root));
}

function answerPieces(program: Program, roots: readonly SelectedField[]): Piece[] {
  const members = roots.flatMap((root, at): Piece[] => [
    { literal: `${at === 0 ? "" : ","}${JSON.stringify(root.key)}:` },
    ...nullOr(rootExpression(root), writeOf(program, root.type, root)),
  ]);
  return [{ literal: '{"data":{' }, ...members, { literal: "}}" }];
}

type ReadRoots = (
  run: TextRun,
  context: unknown,
  variables: Readonly<Record<string, unknown>>,
) => Promise<ExecutionResult> | ExecutionResult;

/** Compiles the operation without the selections of its root fields. */
function compileRoots(
  rootSchema: GraphQLSchema,
  operation: OperationDefinitionNode,
  roots: readonly SelectedField[],
): ReadRoots {
  const selections = roots.flatMap(({ nodes: [node] }) => (node ? [{ ...node, selectionSet: undefined }] : []));
  const definition = { ...operation, selectionSet: { ...operation.selectionSet, selections } };
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [definition] };
  const compiled = compileQuery(rootSchema, document);
  if (!isCompiledQuery(compiled)) throw new Unwritable("the root fields cannot be compiled");
  return compiled.query as ReadRoots;
}

/** Null if the general executor must answer: a value is missing or has the wrong type, or a resolver failed. */
async function writeSettled(write: WriteRoots, roots: Roots, run: TextRun, { loads }: Needs): Promise<JsonText | null> {
  try {
    if (loads.length > 0) await loadObjects(loads, roots, run.context);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      run.start();
      const text = write(roots, run);
      if (run.waiting.length === 0) return run.end(text);
      await Promise.all(run.waiting);
    }
    return null;
  } catch {
    // The general executor reports what is wrong. Nothing else waits for these promises.
    for (const promise of run.waiting) promise.catch(() => {});
    return null;
  }
}
