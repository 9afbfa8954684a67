/**
 * Header of a subgraph's answer. The value `none` says that the answer is `{"data":…}` without errors, so that the gateway can pass its text
 * on without parsing it.
 */
export const ERRORS_HEADER = "x-graphql-errors";
export const NO_ERRORS = "none";
