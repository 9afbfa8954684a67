import type { OtherValidator } from "../protocol/protocol.ts";
import { type Cause, causeOf, hasSigned, type Voter } from "./ballot.ts";
import { meaningOfCode } from "./refusals.ts";

export type Missing = Pick<OtherValidator, "reason" | "detail" | "errorCode">;

export interface MissingContext {
  readonly sourceChainId: string;
  /** Why a node is not connected; null if it is. */
  readonly disconnectionOf: (nodeId: string) => string | null;
}

/** Why a voter's signature is not in the aggregate. */
export function describeMissing(voter: Voter, { sourceChainId, disconnectionOf }: MissingContext): Missing {
  if (hasSigned(voter)) return missing("NOT_NEEDED");
  const cause = causeOf(voter);
  if (cause && cause.kind !== "disconnected") return describeCause(cause, sourceChainId);
  const disconnections = voter.nodes.map(({ nodeId }) => disconnectionOf(nodeId));
  if (cause) return missing("NOT_CONNECTED", cause.reason);
  if (disconnections.includes(null)) return missing("NOT_NEEDED");
  return missing("NOT_CONNECTED", disconnections[0] ?? null);
}

function describeCause(cause: Exclude<Cause, { kind: "disconnected" }>, sourceChainId: string): Missing {
  switch (cause.kind) {
    case "refused": {
      const { errorCode, errorMessage } = cause;
      const detail = `${meaningOfCode(sourceChainId, errorCode)} (the node says: ${printable(errorMessage)})`;
      return { ...missing("REFUSED", detail), errorCode };
    }
    case "invalid":
      return missing("INVALID_SIGNATURE", cause.reason);
    case "notSeen":
      return missing("NOT_SEEN");
    case "timeout":
      return missing("TIMEOUT");
  }
}

function missing(reason: Missing["reason"], detail: string | null = null): Missing {
  return { reason, detail, errorCode: null };
}

const MAX_LENGTH = 200;

/** A text of a node in one short line. */
export function printable(text: string): string {
  const line = text.replace(/[^\x20-\x7e]+/g, " ").trim();
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}
