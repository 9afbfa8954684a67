import type { Config } from "../../core/config/config-schema.ts";
import type { ServiceUrl } from "../../signatures/protocol/client.ts";
import { requireSignatureService } from "../../signatures/protocol/health.ts";
import { requireIdentityDirectories } from "../../signatures/service/identity-directories.ts";
import type { MoraineDeps } from "../moraine.ts";

/** How an API reaches and checks the signature service. `serviceUrl` null: none runs beside it. */
export function signingOf(
  config: Config,
  serviceUrl: ServiceUrl | null,
): Pick<MoraineDeps, "signatureServiceUrl" | "checkSignatures"> {
  const { isOn, serviceUrl: elsewhere } = config.signatures;
  if (elsewhere !== undefined) return { checkSignatures: (stop) => requireSignatureService(elsewhere, stop) };
  if (serviceUrl === null) return {};
  if (!isOn) return { signatureServiceUrl: serviceUrl };
  return { signatureServiceUrl: serviceUrl, checkSignatures: () => requireIdentityDirectories(config) };
}
