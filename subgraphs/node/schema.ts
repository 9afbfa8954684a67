import { buildFederatedSchema } from "../shared/federated-schema.ts";
import { HealthResolver } from "./health/resolver.ts";
import { AcpPreferencesResolver, NodeResolver } from "./info/resolver.ts";
import {
  L1ValidatorPeerResolver,
  NodePeerResolver,
  resolveL1ValidatorReference,
  resolveValidatorReference,
  ValidatorPeerResolver,
} from "./peers/resolver.ts";
import { L1Validator, Validator } from "./peers/types.ts";

/** The node subgraph's executable schema and its SDL. */
export const { schema, sdl, compileText } = buildFederatedSchema(
  [
    NodeResolver,
    AcpPreferencesResolver,
    NodePeerResolver,
    ValidatorPeerResolver,
    L1ValidatorPeerResolver,
    HealthResolver,
  ],
  { Validator: resolveValidatorReference, L1Validator: resolveL1ValidatorReference },
  { entities: [Validator, L1Validator] },
);
