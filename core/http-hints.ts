/** What to do about an HTTP status with which a node refuses every request; starts with a colon. Empty for other statuses. */
export function hintFor(status: number): string {
  return status === 403
    ? ": if the URL names the node by a host name, start the node with --http-allowed-hosts and that name (avalanchego accepts only localhost and addresses by default), otherwise check the credentials"
    : "";
}
