import {
  defaultFieldResolver,
  defaultTypeResolver,
  type GraphQLAbstractType,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import type { AnswerForm, WriteValue } from "../../../core/graph/answer-text.ts";
import { type SelectedField, type Selections, selectedFields } from "../../../core/graph/selection.ts";
import { fieldsBelow, uncounted } from "../answer-limits.ts";
import type { FieldResolver, LoadAll } from "../schema/load-all.ts";
import { compileArguments } from "./arguments.ts";
import { leafOf, leafValue } from "./leaves.ts";
import { addFunction, addValue, appended, type Code, callOf, nullOr, type Piece, type Write } from "./pieces.ts";
import { PART_LENGTH, PENDING, type ResolvedField, Unwritable } from "./text-run.ts";

/** Objects for which all that their fields need is loaded. */
export interface Loads {
  /** The properties that lead to the objects from the root. Items of lists have none. */
  readonly path: readonly string[];
  readonly loadsAll: Set<LoadAll>;
}

/**
 * An operation while its writer is compiled. The code reads the objects that resolvers return: `o` is an object, `a` a list, `t` the text so
 * far, and `s` the `TextRun`.
 */
export interface Program extends Code, Selections {
  readonly form: AnswerForm;
  /** The root fields, whose values are a list. */
  readonly roots: readonly SelectedField[];
  /** The fields that resolvers make, in the order of their numbers in the code. */
  readonly fields: ResolvedField[];
  /** What is loaded before the answer is written, by path. */
  readonly loads: Map<string, Loads>;
  /** The fields that lead to the objects whose members are compiled. */
  readonly ancestors: Step[];
}

/** A field on the way to an object. */
interface Step {
  /** Null for the result of a resolver, and for an object of several types. */
  readonly property: string | null;
  /** The field, if a resolver makes it. */
  readonly made: ResolvedField | undefined;
}

export function createProgram(selections: Selections, form: AnswerForm, roots: readonly SelectedField[]): Program {
  return { ...selections, form, roots, functions: [], values: [], fields: [], loads: new Map(), ancestors: [] };
}

/** How the value of a field is written. `made` is the field, if a resolver makes it. */
export function writeOf(
  program: Program,
  type: GraphQLOutputType,
  field: SelectedField,
  made?: ResolvedField | undefined,
): Write {
  const rule = program.form.valueOf(field.parent, field.field);
  const nullable = getNullableType(type);
  if (rule) return ruled(program, type, rule);
  if (isListType(nullable)) return listOf(program, nullable.ofType, field, made);
  if (isCompositeType(nullable)) return callOf(objectFunction(program, nullable, field, made));
  return leafOf(program, getNamedType(type));
}

function ruled(program: Program, type: GraphQLOutputType, rule: WriteValue): Write {
  const toValue = leafValue(program, getNamedType(type));
  const write = addValue(program, rule);
  return (from) => [{ code: `${write}(${toValue(from)})` }];
}

function listOf(program: Program, item: GraphQLOutputType, field: SelectedField, made?: ResolvedField): Write {
  const write = writeOf(program, item, field, made);
  const each = appended(isNonNullType(item) ? write("a[i]") : nullOr("a[i]", write));
  const fields = isCounted(item, field) ? fieldsIn(program, field) : 0;
  const items = `for (let i = 0; i < a.length; i++) { if (i > 0) t += ','; ${each} if (t.length > ${PART_LENGTH}) t = s.take(t); }`;
  return callOf(addFunction(program, `(t, a, s) { s.count(a, ${fields}); let v; t += '['; ${items} return t + ']'; }`));
}

/** True for a list of objects, not for a list inside it. */
function isCounted(item: GraphQLOutputType, { type }: SelectedField): boolean {
  const list = getNullableType(type);
  return isListType(list) && list.ofType === item && !isLeafType(getNamedType(item));
}

function fieldsIn({ fragments }: Program, { nodes }: SelectedField): number {
  const byName = Object.fromEntries(fragments);
  return nodes.reduce((sum, node) => sum + fieldsBelow(node, byName), 0);
}

const REFUSE_OTHERS =
  "if (typeof o !== 'object' || o === null || typeof o.then === 'function' || o instanceof Error) s.refuse('a value is not an object');";

/** Adds a function that writes an object, and returns its name. */
function objectFunction(
  program: Program,
  type: GraphQLCompositeType,
  field: SelectedField,
  made?: ResolvedField,
): string {
  if (!isAbstractType(type)) return addFunction(program, objectSource(program, type, field, made));
  const cases = program.schema.getPossibleTypes(type).map((possible) => {
    const isEmpty = selectedFields(program, possible, field.selections).length === 0;
    const written = isEmpty ? "t + '{}'" : `${objectFunction(program, possible, field, made)}(t, o, s)`;
    return `case ${JSON.stringify(possible.name)}: return ${written};`;
  });
  const typeName = `${addValue(program, typeNames(program.schema, type))}(o, s.context)`;
  return addFunction(program, `(t, o, s) { ${REFUSE_OTHERS} switch (${typeName}) { ${cases.join(" ")} } }`);
}

/** The name of the type of an object of an interface or a union. */
type ReadTypeName = (object: unknown, context: unknown) => string;

/** Resolvers of types do not get it from the compiled form. */
const NO_INFO = undefined as unknown as GraphQLResolveInfo;

/** Refuses an object whose type is not known at once, or is not one of the possible types. */
function typeNames(schema: GraphQLSchema, type: GraphQLAbstractType): ReadTypeName {
  const names: ReadonlySet<unknown> = new Set(schema.getPossibleTypes(type).map(({ name }) => name));
  const resolveType = type.resolveType ?? defaultTypeResolver;
  return (object, context) => {
    const name = resolveType(object, context, NO_INFO, type);
    if (typeof name !== "string" || !names.has(name))
      throw new Unwritable(`an object has no known type of ${type.name}`);
    return name;
  };
}

function objectSource(program: Program, type: GraphQLObjectType, field: SelectedField, made?: ResolvedField): string {
  const { ancestors, roots } = program;
  const property = ancestors.length === 0 ? String(roots.indexOf(field)) : field.field;
  ancestors.push({ property: made || !isObjectType(getNamedType(field.type)) ? null : property, made });
  const members = selectedFields(program, type, field.selections).map((member) => memberOf(program, member));
  ancestors.pop();
  const source = members.some(({ isRequired }) => isRequired) ? objectWithRequired(members) : objectOfOptional(members);
  return isKept(program, type, field) ? keepingLast(program, source) : source;
}

/** The items of a list are different objects. The text of an object with a list is not kept, because a list counts its items. */
function isKept(program: Program, type: GraphQLCompositeType, { type: fieldType, selections }: SelectedField): boolean {
  return !isListType(getNullableType(fieldType)) && !hasList(program, type, selections);
}

function hasList(program: Program, type: GraphQLCompositeType, selections: SelectedField["selections"]): boolean {
  if (isAbstractType(type))
    return program.schema.getPossibleTypes(type).some((possible) => hasList(program, possible, selections));
  return selectedFields(program, type, selections).some((field) => {
    const inner = getNamedType(field.type);
    return (
      isListType(getNullableType(field.type)) || (isCompositeType(inner) && hasList(program, inner, field.selections))
    );
  });
}

/**
 * A function that writes an object by a function with this source, unless it is the object that it has written last: items that follow each
 * other often have the same object, such as a token.
 */
function keepingLast(program: Program, source: string): string {
  const write = addFunction(program, source);
  const at = 2 * program.functions.length;
  return `(t, o, s) {
    const { last } = s;
    if (last[${at}] !== o || o === undefined) { last[${at + 1}] = ${write}('', o, s); last[${at}] = o; }
    return t + last[${at + 1}];
  }`;
}

interface Member {
  readonly key: string;
  /** JavaScript expression of the value. */
  readonly value: string;
  readonly write: Write;
  /** True if the member is always written. */
  readonly isRequired: boolean;
}

function memberOf(program: Program, field: SelectedField): Member {
  const key = JSON.stringify(program.form.keyOf(field.parent, field.field) ?? field.key);
  const { value, made } = memberValue(program, field);
  const all = writeOf(program, field.type, field, made);
  const write = made ? settledOnly(all, addValue(program, PENDING)) : all;
  if (isNonNullType(field.type) && !field.isConditional) return { key, value, write, isRequired: true };
  if (!program.form.writesNull(field.parent, field.field)) return { key, value, write, isRequired: false };
  return { key, value, write: (from) => nullOr(from, write), isRequired: true };
}

/** Nothing is written while the value is pending. */
function settledOnly(write: Write, pending: string): Write {
  return (from) => [{ test: `(v = ${from}) === ${pending}`, ifTrue: [], ifFalse: write("v") }];
}

/** The JavaScript expression of a field's value: a property of its object, or what its resolver makes. */
function memberValue(
  program: Program,
  field: SelectedField,
): { readonly value: string; readonly made?: ResolvedField } {
  if (field.field === "__typename") return { value: JSON.stringify(field.parent) };
  const { definition, node } = definitionOf(program, field);
  const resolve = resolverOf(definition);
  if (!resolve) return { value: `o[${JSON.stringify(field.field)}]` };
  addLoads(program, resolve.loads ?? []);
  for (const { made } of program.ancestors) if (made) made.hasResolvedFields = true;
  const made = { resolve, argumentsOf: compileArguments(definition, node), hasResolvedFields: false };
  return { value: `s.value(${program.fields.push(made) - 1}, o)`, made };
}

function definitionOf({ schema }: Program, { parent, field, nodes: [node] }: SelectedField) {
  const type = schema.getType(parent);
  const definition = isObjectType(type) ? type.getFields()[field] : undefined;
  if (!definition || !node) throw new Unwritable(`${parent} has no field ${field}`);
  return { definition, node };
}

/** Null if the field is a property of its object. */
function resolverOf({ resolve }: GraphQLField<unknown, unknown>): FieldResolver | null {
  const inner = uncounted(resolve);
  return inner && inner !== defaultFieldResolver ? (inner as FieldResolver) : null;
}

/** Only objects that properties lead to from the root are known before the answer is written. */
function addLoads({ ancestors, loads }: Program, loadsAll: readonly LoadAll[]): void {
  const path = ancestors.flatMap(({ property }) => property ?? []);
  if (loadsAll.length === 0 || path.length < ancestors.length) return;
  const known = loads.get(path.join())?.loadsAll ?? [];
  loads.set(path.join(), { path, loadsAll: new Set([...known, ...loadsAll]) });
}

/** Members before the first required member end with a comma, members after it start with one. */
function objectWithRequired(members: readonly Member[]): string {
  const first = members.findIndex(({ isRequired }) => isRequired);
  let source = `(t, o, s) { ${REFUSE_OTHERS} let v;`;
  let pieces: Piece[] = [{ literal: "{" }];
  members.forEach(({ key, value, write, isRequired }, at) => {
    const member = (from: string): Piece[] => [
      { literal: `${at > first ? "," : ""}${key}:` },
      ...write(from),
      { literal: at < first ? "," : "" },
    ];
    if (isRequired) pieces.push(...member(value));
    else {
      source += ` ${appended(pieces)} if ((v = ${value}) != null) { ${appended(member("v"))} }`;
      pieces = [];
    }
  });
  return `${source} ${appended([...pieces, { literal: "}" }])} return t; }`;
}

function objectOfOptional(members: readonly Member[]): string {
  const lines = members.map(
    ({ key, value, write }) =>
      `if ((v = ${value}) != null) { ${appended([{ code: "c" }, { literal: `${key}:` }, ...write("v")])} c = ','; }`,
  );
  return `(t, o, s) { ${REFUSE_OTHERS} let c = '{', v; ${lines.join(" ")} return t + (c === '{' ? '{}' : '}'); }`;
}
