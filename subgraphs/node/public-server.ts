import { Failure } from "../../core/errors/errors.ts";

/** Sentence in the description of each field that `refuseOnPublic` protects. */
export const NOT_PUBLIC_RULE =
  "Fails with `NOT_PUBLIC` on a server that is open to the public (setting `nodeInterface.public`).";

/** Throws `NOT_PUBLIC` if the server is public. `what` names the node-specific data that is refused. */
export function refuseOnPublic({ isPublic }: { readonly isPublic: boolean }, what: string): void {
  if (isPublic) throw new Failure("NOT_PUBLIC", `${what} is not available on a public server`);
}
