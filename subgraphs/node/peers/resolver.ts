import { Ctx, Directive, FieldResolver, Resolver, Root } from "type-graphql";
import type { NodeContext } from "../context.ts";
import { ValidatorNode } from "../entities.ts";
import { L1Validator, NodePeer, Validator } from "./types.ts";

const PEER = {
  nullable: true,
  description:
    "Connection between the validator's node and the upstream node (`Query.node`). Null if the two are not connected, if the upstream node does not respond, or if there is no upstream node.",
} as const;

@Resolver(() => NodePeer)
export class NodePeerResolver {
  @Directive("@semanticNonNull")
  @FieldResolver(() => ValidatorNode, { nullable: true, description: "The peer in its role as validator." })
  node(@Root() { nodeId }: NodePeer): ValidatorNode {
    return { nodeId };
  }
}

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

/** Resolves the entity `Validator`: the representation already contains all fields that are needed here. */
export async function resolveValidatorReference(key: Validator): Promise<Validator> {
  return key;
}

/** Resolves the entity `L1Validator`: the representation already contains all fields that are needed here. */
export async function resolveL1ValidatorReference(key: L1Validator): Promise<L1Validator> {
  return key;
}
