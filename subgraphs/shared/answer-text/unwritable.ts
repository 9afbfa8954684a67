/** An operation, or an object that a resolver returned, that only the general executor can answer. */
export class Unwritable extends Error {}
