import type { JsonText } from "../../../core/graph/answer-text.ts";
import { MAX_COST } from "../../../core/graph/cost.ts";
import type { Variables } from "../../../core/graph/graph-document.ts";
import type { FieldResolver } from "../schema/load-all.ts";

/** An operation, or an object that a resolver returned, that only the reference executor can answer. */
export class Unwritable extends Error {}

/** The arguments of a field with these variables, which are coerced. Throws the error of graphql-js if an argument has no valid value. */
export type ReadArguments = (variables: Variables) => Readonly<Record<string, unknown>>;

/** A field that a resolver makes. */
export interface ResolvedField {
  readonly resolve: FieldResolver;
  readonly argumentsOf: ReadArguments;
  /** True if resolvers make fields of its objects, which are found by these objects when the answer is written again. */
  hasResolvedFields: boolean;
}

/** What a field has while its promise is not settled. */
export const PENDING = Symbol("pending");

/** The state of one run of an operation, which its writer reads and changes. */
export class TextRun {
  readonly context: unknown;
  /** The last object of each function of the writer, and its text. */
  last: unknown[] = [];
  /** The last values of some leaves, and their texts. */
  readonly leaves: unknown[] = [];
  readonly #fields: readonly ResolvedField[];
  /** By field. */
  readonly #arguments: readonly Variables[];
  /** Objects of resolvers, and values of settled promises, by field and by the object that has them. Most fields have none. */
  readonly #values: (Map<unknown, unknown> | undefined)[] = [];
  #waiting: Promise<unknown>[] = [];
  #rows = 0;
  #cells = 0;
  #long: LongText | null = null;

  /** `variables` are coerced. Throws if an argument has no valid value. */
  constructor(context: unknown, variables: Variables, fields: readonly ResolvedField[]) {
    this.context = context;
    this.#fields = fields;
    this.#arguments = fields.map(({ argumentsOf }) => argumentsOf(variables));
  }

  /** Starts to write. A run is written again after each time that it had to wait. */
  start(): void {
    this.#rows = 0;
    this.#cells = 0;
    this.#long = null;
    this.#waiting = [];
    // What was pending in these texts is there now.
    this.last = [];
  }

  /** The promises that the text lacks. */
  get waiting(): readonly Promise<unknown>[] {
    return this.#waiting;
  }

  /** The value of a field, where `number` is its place in the fields. Values that are found by their objects later are kept. */
  value(number: number, object: unknown): unknown {
    const known = this.#values[number]?.get(object);
    if (known !== undefined) return known;
    const field = this.#fields[number] as ResolvedField;
    const value = field.resolve(object, this.#arguments[number] as Variables, this.context);
    if (value instanceof Promise) return this.#wait(number, object, value);
    if (field.hasResolvedFields) this.#keep(number, object, value ?? null);
    return value;
  }

  #wait(number: number, object: unknown, promise: Promise<unknown>): typeof PENDING {
    this.#keep(number, object, PENDING);
    this.#waiting.push(promise.then((value) => this.#keep(number, object, value ?? null)));
    return PENDING;
  }

  #keep(number: number, object: unknown, value: unknown): void {
    const values = this.#values[number] ?? new Map();
    this.#values[number] = values;
    values.set(object, value);
  }

  /** Keeps the text of a leaf, and returns it. `number` is where its value is in `leaves`. */
  keepLeaf(number: number, value: string, text: string): string {
    this.leaves[number] = value;
    this.leaves[number + 1] = text;
    return text;
  }

  /** Takes the text so far, and returns the text with which the writer goes on. */
  take(part: string): string {
    this.#long ??= new LongText();
    this.#long.add(part);
    return "";
  }

  /** The whole text, where `rest` is what was not taken. */
  end(rest: string): JsonText {
    if (!this.#long) return rest;
    this.#long.add(rest);
    return this.#long.bytes();
  }

  /** Counts a list of objects, as `limitAnswers` does. Above a limit, the reference executor answers, with an error. */
  count(list: unknown, fields: number): void {
    if (!Array.isArray(list)) this.refuse("a value is not a list");
    this.#rows += list.length;
    this.#cells += list.length * fields;
    if (this.#rows > MAX_COST.rows || this.#cells > MAX_COST.values) this.refuse("the answer is too large");
  }

  refuse(reason: string): never {
    throw new Unwritable(reason);
  }
}

/** Parts of this length, in UTF-16 code units, become bytes. */
export const PART_LENGTH = 16_384;
const BUFFER_BYTES = 1 << 20;
/** Largest number of bytes of a UTF-16 code unit in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;

/** Texts are written one after the other, without a pause, so all of them use this buffer. */
let buffer: Buffer | null = null;

/**
 * Makes bytes of the parts of a long text while it is written: JavaScript joins a long text of many small ones by walking through all of
 * them in memory, which takes longer than to write them.
 */
class LongText {
  readonly #full: Buffer[] = [];
  #used = 0;

  /** Adds a part. It must not end within a surrogate pair. */
  add(part: string): void {
    buffer ??= Buffer.allocUnsafeSlow(BUFFER_BYTES);
    const most = part.length * MAX_BYTES_PER_UNIT;
    if (this.#used + most > BUFFER_BYTES) this.#empty(buffer);
    if (most > BUFFER_BYTES) this.#full.push(Buffer.from(part));
    else this.#used += buffer.write(part, this.#used);
  }

  /** The bytes of all parts. */
  bytes(): Buffer {
    if (buffer && this.#used > 0) this.#empty(buffer);
    const [only, ...others] = this.#full;
    return only && others.length === 0 ? only : Buffer.concat(this.#full);
  }

  #empty(from: Buffer): void {
    if (this.#used > 0) this.#full.push(Buffer.from(from.subarray(0, this.#used)));
    this.#used = 0;
  }
}
