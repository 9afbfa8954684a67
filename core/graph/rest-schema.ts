/**
 * Header in which REST, in a process of its own, asks the gateway for the schema with what exists only for REST. Its value is `rest`. It gives no
 * access to data that callers without it cannot read.
 */
export const SCHEMA_HEADER = "x-moraine-schema";

export const REST_SCHEMA = "rest";
