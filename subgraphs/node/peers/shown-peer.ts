import type { NodePeer } from "./types.ts";

/** The peer as callers see it: on a public server without its addresses, like `info.getNodeIP`. */
export function shownPeer(peer: NodePeer, isPublic: boolean): NodePeer {
  return isPublic ? { ...peer, ip: "", publicIp: "" } : peer;
}
