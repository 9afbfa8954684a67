import { Directive } from "type-graphql";
import { Failure } from "../../core/errors/errors.ts";

/** Sentence in the description of each field that `refuseOnPublic` protects. */
export const NOT_PUBLIC_RULE = "Not available on a server that is open to the public (setting `nodeInterface.public`).";

/** Marks a field that `refuseOnPublic` protects. The gateway of a public server hides it from callers, with the types that only such fields have. */
export const NodeOnly = () => Directive('@tag(name: "node")');

/** Throws `NOT_PUBLIC` if the server is public. `what` names the node-specific data that is refused. */
export function refuseOnPublic({ isPublic }: { readonly isPublic: boolean }, what: string): void {
  if (isPublic) throw new Failure("NOT_PUBLIC", `${what} is not available on a public server`);
}
