import { Field, Float, Int, ObjectType, registerEnumType } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";
import type {
  AggregationProgress,
  AggregationResult,
  OtherValidator as OtherRow,
  MissingReason as Reason,
  SigningValidator as SigningRow,
} from "../../../signatures/protocol/protocol.ts";
import { SignableMessage } from "../messages/types.ts";
import { Hex, Id, NodeId } from "../scalars.ts";

const AggregationState = {
  CONNECTING: "CONNECTING",
  COLLECTING: "COLLECTING",
  DONE: "DONE",
  FAILED: "FAILED",
} as const satisfies { readonly [State in AggregationProgress["state"]]: State };
type AggregationState = keyof typeof AggregationState;

registerEnumType(AggregationState, {
  name: "AggregationState",
  description: "State of an aggregation.",
  valuesConfig: {
    CONNECTING: { description: "Connections to the validators are being opened." },
    COLLECTING: {
      description: "The validators, or the upstream signature-aggregator, have been asked for signatures.",
    },
    DONE: { description: "The quorum is reached and the aggregate is verified." },
    FAILED: { description: "The aggregation failed; the error follows." },
  },
});

const SignatureSource = { VALIDATORS: "validators", AGGREGATOR: "aggregator" } as const;

registerEnumType(SignatureSource, {
  name: "SignatureSource",
  description: "Where signatures were collected from.",
  valuesConfig: {
    VALIDATORS: { description: "From the validators themselves, over their peer-to-peer protocol." },
    AGGREGATOR: {
      description: "From an upstream signature-aggregator (setting `primaryNetworks[].signatures.aggregatorUrl`).",
    },
  },
});

const MissingReason = {
  NO_KEY: "NO_KEY",
  INACTIVE: "INACTIVE",
  NOT_CONNECTED: "NOT_CONNECTED",
  TIMEOUT: "TIMEOUT",
  NOT_SEEN: "NOT_SEEN",
  REFUSED: "REFUSED",
  INVALID_SIGNATURE: "INVALID_SIGNATURE",
  NOT_NEEDED: "NOT_NEEDED",
} as const satisfies { readonly [Name in Reason]: Name };

registerEnumType(MissingReason, {
  name: "MissingSignatureReason",
  description: "Why the signature of a validator is not in an aggregate.",
  valuesConfig: {
    NO_KEY: { description: "The validator has no BLS key, so it can never sign." },
    INACTIVE: {
      description:
        "L1 validators that are inactive, because they were disabled or their balance is used up. They cannot sign.",
    },
    NOT_CONNECTED: { description: "No connection to the node could be opened." },
    TIMEOUT: { description: "The node did not answer in time." },
    NOT_SEEN: { description: "The node has not seen the message." },
    REFUSED: { description: "The node answered with an error: see `errorCode` and `detail`." },
    INVALID_SIGNATURE: { description: "The node sent data that is not its signature of the message." },
    NOT_NEEDED: { description: "The quorum was met without this signature." },
  },
});

@ObjectType({ description: "Validators of one subnet that share a BLS key and signed a message." })
export class SigningValidator implements SigningRow {
  @Field(() => Hex, { description: "BLS public key, compressed to 48 bytes." })
  publicKey!: string;

  @Field(() => Quantity, { description: "Sum of the weights of all validators with this key." })
  weight!: string;

  @Field(() => [NodeId], { description: "Node ids of the validators with this key." })
  nodeIds!: readonly string[];
}

@ObjectType({
  description:
    "Validators of one subnet whose signatures are not in an aggregate. Validators that share a BLS key form one entry.",
})
export class OtherValidator implements OtherRow {
  @Field(() => Hex, {
    nullable: true,
    description: "BLS public key, compressed to 48 bytes. Null for the reasons `NO_KEY` and `INACTIVE`.",
  })
  publicKey!: string | null;

  @Field(() => Quantity, { description: "Sum of the weights of the validators in this entry." })
  weight!: string;

  @Field(() => [NodeId], { description: "Node ids. Empty for the reason `INACTIVE`." })
  nodeIds!: readonly string[];

  @Field(() => MissingReason, { description: "Why the signature is missing." })
  reason!: Reason;

  @Field(() => String, { nullable: true, description: "Further explanation of `reason`; null if there is none." })
  detail!: string | null;

  @Field(() => Int, { nullable: true, description: "Code of the node's error. Null unless `reason` is `REFUSED`." })
  errorCode!: number | null;
}

/** The members that an aggregation has from its beginning. */
@ObjectType()
abstract class Aggregation {
  @Field(() => SignableMessage, { description: "The message." })
  message!: SignableMessage;

  @Field(() => Id, { description: "Subnet whose validators sign." })
  signingSubnetId!: string;

  // `signingSubnet` is a field of the resolvers.

  @Field(() => Quantity, { description: "P-Chain height that determines the validators." })
  pChainHeight!: string;

  @Field(() => Quantity, {
    description:
      "Weight of all validators of the subnet, including validators without a BLS key and inactive validators.",
  })
  totalWeight!: string;

  @Field(() => Quantity, { description: "Least weight that meets the quorum." })
  requiredWeight!: string;

  @Field(() => Quantity, { description: "Weight of the validators whose valid signatures have arrived." })
  signedWeight!: string;
}

@ObjectType({
  description: "A Warp message with an aggregate signature. The aggregate was verified against the validator set.",
})
export class SignatureAggregation extends Aggregation implements AggregationResult {
  state!: "DONE";
  connectedWeight!: string;
  refusedWeight!: string;

  @Field(() => String, {
    description:
      "The signed message as hex digits without `0x`: the unsigned message, the bit set that names the signers, and the aggregate signature.",
  })
  signedMessage!: string;

  @Field(() => Quantity, {
    description:
      "Weight of the signers of the aggregate. It meets the quorum. It can be less than `signedWeight`, because an aggregate has no more signers than quorum and buffer need.",
  })
  aggregateWeight!: string;

  @Field(() => [SigningValidator], {
    description: "Validators whose signatures are in the aggregate, in the order of their bits.",
  })
  signers!: readonly SigningValidator[];

  @Field(() => [OtherValidator], {
    description: "Validators whose signatures are not in the aggregate, with the reason.",
  })
  others!: readonly OtherValidator[];

  @Field(() => SignatureSource, { description: "Where the signatures were collected from." })
  collectedFrom!: AggregationResult["collectedFrom"];

  @Field(() => Float, {
    description:
      "Milliseconds from the request until enough validators were connected. 0 if the signatures come from an aggregator.",
  })
  connectMs!: number;

  @Field(() => Float, {
    description: "Milliseconds from the end of `connectMs` until the aggregate was verified.",
  })
  collectMs!: number;
}

@ObjectType({ description: "Progress of an aggregation of signatures." })
export class SignatureProgress extends Aggregation implements AggregationProgress {
  @Field(() => AggregationState, { description: "State." })
  state!: AggregationState;

  @Field(() => Quantity, { description: "Weight of the validators that are connected." })
  connectedWeight!: string;

  @Field(() => Quantity, { description: "Weight of the validators that refused to sign." })
  refusedWeight!: string;

  @Field(() => SignatureAggregation, {
    nullable: true,
    description: "The result. Null unless the state is `DONE`.",
  })
  aggregation!: SignatureAggregation | null;
}
