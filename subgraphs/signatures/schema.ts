import { buildFederatedSchema } from "../shared/federated-schema.ts";
import {
  OtherValidatorResolver,
  SignatureAggregationResolver,
  SignatureProgressResolver,
  SigningValidatorResolver,
} from "./aggregations/resolver.ts";
import {
  IcmEventMessageResolver,
  resolveIcmEventReference,
  resolveTransactionReference,
  SignableMessageResolver,
  TransactionMessageResolver,
} from "./messages/resolver.ts";
import { IcmEvent, PrimaryNetworkTransaction } from "./messages/types.ts";

/** The signatures subgraph's executable schema and its SDL. */
export const { schema, sdl, compileText } = buildFederatedSchema(
  [
    SignatureAggregationResolver,
    SignatureProgressResolver,
    SigningValidatorResolver,
    OtherValidatorResolver,
    SignableMessageResolver,
    IcmEventMessageResolver,
    TransactionMessageResolver,
  ],
  { IcmEvent: resolveIcmEventReference, PrimaryNetworkTransaction: resolveTransactionReference },
  { entities: [IcmEvent, PrimaryNetworkTransaction] },
);
