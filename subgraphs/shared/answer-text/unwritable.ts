/** An operation, or an object that a resolver returned, that only the reference executor can answer. */
export class Unwritable extends Error {}
