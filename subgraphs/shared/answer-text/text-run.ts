import { MAX_COST } from "../../../core/cost.ts";
import type { ResolvedField } from "./needs.ts";
import { Unwritable } from "./unwritable.ts";

type Variables = Readonly<Record<string, unknown>>;

/** What a field has while its promise is not settled. */
export const PENDING = Symbol("pending");

/** The state of one run of an operation, which its writer reads and changes. */
export class TextRun {
  readonly context: unknown;
  /** The variables after their coercion. */
  variables: Variables = {};
  readonly #fields: readonly ResolvedField[];
  #arguments: readonly unknown[] = [];
  /** Objects of resolvers, and values of settled promises, by field and by the object that has them. */
  readonly #values: Map<unknown, unknown>[];
  #waiting: Promise<unknown>[] = [];
  #rows = 0;
  #cells = 0;

  constructor(context: unknown, fields: readonly ResolvedField[]) {
    this.context = context;
    this.#fields = fields;
    this.#values = fields.map(() => new Map());
  }

  /** Starts to write. A run is written again after each time that it had to wait. */
  start(): void {
    this.#rows = 0;
    this.#cells = 0;
    this.#waiting = [];
    this.#arguments = this.#fields.map(({ argumentsOf }) => argumentsOf(this.variables));
  }

  /** The promises that the text lacks. */
  get waiting(): readonly Promise<unknown>[] {
    return this.#waiting;
  }

  /** The value of a field, where `number` is its place in the fields. A leaf that is no promise is not kept. */
  leaf(number: number, object: unknown): unknown {
    const known = this.#known(number, object);
    if (known !== undefined) return known;
    const value = this.#resolve(number, object);
    return value instanceof Promise ? this.#wait(number, object, value) : value;
  }

  /** The same for objects and lists of objects. They are kept, because fields below them are found by them. */
  object(number: number, object: unknown): unknown {
    const known = this.#known(number, object);
    if (known !== undefined) return known;
    const value = this.#resolve(number, object);
    if (value instanceof Promise) return this.#wait(number, object, value);
    this.#values[number]?.set(object, value ?? null);
    return value;
  }

  #known(number: number, object: unknown): unknown {
    return this.#values[number]?.get(object);
  }

  #resolve(number: number, object: unknown): unknown {
    return this.#fields[number]?.resolve(object, this.#arguments[number], this.context);
  }

  #wait(number: number, object: unknown, promise: Promise<unknown>): typeof PENDING {
    const values = this.#values[number];
    values?.set(object, PENDING);
    this.#waiting.push(promise.then((value) => values?.set(object, value ?? null)));
    return PENDING;
  }

  /** Counts a list of objects, as `limitAnswers` does. Above a limit, the general executor answers, with an error. */
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
