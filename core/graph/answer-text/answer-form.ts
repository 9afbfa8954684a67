/** Returns the JSON of a field's value. */
export type WriteValue = (value: unknown) => string;

/** How an answer is written. Types and fields are those of the graph. */
export interface AnswerForm {
  /** Writes the values of a field in place of its type; undefined if the type decides. */
  valueOf(type: string, field: string): WriteValue | undefined;
  /** Another name for a member; undefined if it has the name that the operation selects. */
  keyOf(type: string, field: string): string | undefined;
  /** True if a field without a value is written as null. Otherwise it is omitted. */
  writesNull(type: string, field: string): boolean;
}

/** The form of the GraphQL specification. */
export const GRAPHQL_FORM: AnswerForm = {
  valueOf: () => undefined,
  keyOf: () => undefined,
  writesNull: () => true,
};
