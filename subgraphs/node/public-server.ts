import { Failure } from "../../core/errors.ts";

/** Throws `NOT_PUBLIC` if the server is public. `what` names the node-specific data that is refused. */
export function refuseOnPublic({ isPublic }: { readonly isPublic: boolean }, what: string): void {
  if (isPublic) throw new Failure("NOT_PUBLIC", `${what} is not available on a public server`);
}
