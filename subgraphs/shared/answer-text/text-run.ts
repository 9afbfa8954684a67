import type { JsonText } from "../../../core/graph/answer-text/answer-text.ts";
import { MAX_COST } from "../../../core/graph/cost.ts";
import type { Variables } from "../../../core/graph/graph-document.ts";
import { LongText } from "./long-text.ts";
import type { ResolvedField } from "./needs.ts";
import { Unwritable } from "./unwritable.ts";

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
