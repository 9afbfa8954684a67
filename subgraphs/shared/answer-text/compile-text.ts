import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  visit,
} from "graphql";
import type { CompileText, JsonText, TextOptions, TryText } from "../../../core/graph/answer-text.ts";
import { fragmentsOf } from "../../../core/graph/graph-document.ts";
import { type SelectedField, selectedFields } from "../../../core/graph/selection.ts";
import { noteMissingRoots } from "../../../core/work/server-choice.ts";
import type { Work } from "../../../core/work/work.ts";
import { compilePieces, nullOr, type Piece } from "./pieces.ts";
import { compileRoots, type RootValues } from "./root-fields.ts";
import { TextRun, Unwritable } from "./text-run.ts";
import { createProgram, type Loads, type Program, writeOf } from "./writer.ts";

type WriteRoots = (values: RootValues["values"], run: TextRun) => string;

/**
 * Returns a function that compiles operations of the schema to text: the resolvers of the root fields are called, and one generated
 * function writes the JSON of what they return, without a copy of it. Fields that have promises are left out, and the JSON is written again
 * when these are settled. The reference executor, graphql-js, answers operations with directives, operations that cannot be compiled, such
 * as those with a wrong literal, and all answers with errors below a root field (docs/decisions/004-compiled-serialiser.md).
 */
export function createTextCompiler(schema: GraphQLSchema): CompileText {
  return (document, options) => {
    try {
      return compileText(schema, document, options);
    } catch (error) {
      if (error instanceof Unwritable || error instanceof GraphQLError) return null;
      throw error;
    }
  };
}

function compileText(schema: GraphQLSchema, document: DocumentNode, { form, scope }: TextOptions): TryText {
  refuseDirectivesAndIntrospection(document);
  const fragments = fragmentsOf(document);
  const operation = queryOf(document);
  const query = schema.getQueryType();
  if (!query) throw new Unwritable("the schema has no queries");
  const roots = selectedFields({ schema, fragments }, query, operation.selectionSet.selections);
  const program = createProgram({ schema, fragments }, form, roots);
  const [only] = roots;
  if (!only || (scope === "value" && roots.length > 1)) throw new Unwritable("the operation has several root fields");
  const write = compilePieces<WriteRoots>(
    program,
    scope === "value" ? valuePieces(program, only) : answerPieces(program, roots),
  );
  const read = compileRoots({ schema, query, operation, fragments, roots });
  return async (variables, context) => {
    const found = await read(variables, context);
    if (found === null || !("values" in found)) return found;
    noteMissingRoots(found.values, (context as { readonly work: Work }).work);
    if (scope === "value" && (found.values[0] ?? null) === null) return { data: { [only.key]: null } };
    return writeSettled(write, found, context, program);
  };
}

/** The gateway applies `@skip` and `@include` before it plans an operation, and answers what is asked about the schema. */
function refuseDirectivesAndIntrospection(document: DocumentNode): void {
  visit(document, {
    Field({ name: { value } }) {
      if (value === SchemaMetaFieldDef.name || value === TypeMetaFieldDef.name)
        throw new Unwritable("a root field is about the schema");
    },
    [Kind.DIRECTIVE]() {
      throw new Unwritable("the operation has a directive");
    },
  });
}

function queryOf({ definitions }: DocumentNode): OperationDefinitionNode {
  const [operation] = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (operation?.operation !== OperationTypeNode.QUERY) throw new Unwritable("the operation is not a query");
  return operation;
}

function valuePieces(program: Program, root: SelectedField): Piece[] {
  return writeOf(program, root.type, root)("root[0]");
}

function answerPieces(program: Program, roots: readonly SelectedField[]): Piece[] {
  const members = roots.flatMap((root, at): Piece[] => [
    { literal: `${at === 0 ? "" : ","}${JSON.stringify(root.key)}:` },
    ...nullOr(`root[${at}]`, writeOf(program, root.type, root)),
  ]);
  return [{ literal: '{"data":{' }, ...members, { literal: "}}" }];
}

/** Null if the reference executor must answer: a value is missing or has the wrong type, or a resolver failed. */
async function writeSettled(
  write: WriteRoots,
  { values, variables }: RootValues,
  context: unknown,
  { fields, loads }: Pick<Program, "fields" | "loads">,
): Promise<JsonText | null> {
  let waiting: TextRun["waiting"] = [];
  try {
    const run = new TextRun(context, variables, fields);
    if (loads.size > 0) await loadObjects(loads.values(), values, context);
    for (;;) {
      run.start();
      waiting = run.waiting;
      const text = write(values, run);
      // Each round finds the objects of one level more.
      if (waiting.length === 0) return run.end(text);
      await Promise.all(waiting);
    }
  } catch {
    // The reference executor reports what is wrong. Nothing else waits for these promises.
    for (const promise of waiting) promise.catch(() => {});
    return null;
  }
}

/** Loads what fields need for the objects at each path. */
async function loadObjects(loads: Iterable<Loads>, root: unknown, context: unknown): Promise<void> {
  const atPaths = [...loads].flatMap(({ path, loadsAll }) => {
    const objects = path.reduce(objectsAt, [root]);
    return objects.length === 0 ? [] : [...loadsAll].map((loadAll) => loadAll(objects as never[], context as never));
  });
  await Promise.all(atPaths);
}

/** The objects of a property of all objects: the items of lists, or the objects themselves. */
function objectsAt(objects: readonly unknown[], key: string): unknown[] {
  const values = objects.flatMap((object) => (object as Readonly<Record<string, unknown>>)[key]);
  return values.filter((value) => typeof value === "object" && value !== null);
}
