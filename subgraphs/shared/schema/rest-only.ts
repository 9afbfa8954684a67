import { Directive } from "type-graphql";

/**
 * Marks a field or an argument that exists only for the shape of a REST response. The gateway hides it from callers, together with the types that
 * only such fields have.
 */
export const RestOnly = () => Directive('@tag(name: "rest")');
