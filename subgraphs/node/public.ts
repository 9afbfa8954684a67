import { Failure } from "../../core/errors.ts";

/** Throws `NOT_PUBLIC` on a public server, where `what` is of the node alone. */
export function refuseOnPublic({ isPublic }: { readonly isPublic: boolean }, what: string): void {
  if (isPublic) throw new Failure("NOT_PUBLIC", `${what} is not available on a public server`);
}
