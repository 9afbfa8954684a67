import { Ctx, Directive, FieldResolver, Resolver, Root } from "type-graphql";
import type { NodeContext } from "../context.ts";
import { L1Validator, NodePeer, Validator } from "./types.ts";

const PEER = {
  nullable: true,
  description:
    "What the network's node says of its connection to this one; null where it has none, or cannot be asked.",
} as const;

@Resolver(() => Validator)
export class ValidatorPeerResolver {
  @Directive('@requires(fields: "nodeId")')
  @FieldResolver(() => NodePeer, PEER)
  peer(@Root() { network, nodeId }: Validator, @Ctx() { load }: NodeContext): Promise<NodePeer | null> {
    return load.peer({ network, nodeId });
  }
}

@Resolver(() => L1Validator)
export class L1ValidatorPeerResolver {
  @Directive('@requires(fields: "nodeId")')
  @FieldResolver(() => NodePeer, PEER)
  peer(@Root() { network, nodeId }: L1Validator, @Ctx() { load }: NodeContext): Promise<NodePeer | null> {
    return load.peer({ network, nodeId });
  }
}

/** What another subgraph names is enough: its key, and the node id that comes with it. */
export async function resolveValidatorReference(key: Validator): Promise<Validator> {
  return key;
}

/** The same of a validator of an L1. */
export async function resolveL1ValidatorReference(key: L1Validator): Promise<L1Validator> {
  return key;
}
