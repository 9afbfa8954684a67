import { z } from "zod";
import { url } from "./fields.ts";

/** The setting `signatures`. */
export const signatureSettings = z.strictObject({
  serviceUrl: url
    .optional()
    .describe(
      "Base URL of a signature service that runs in another process (`npm run start:signatures`). If not set, `npm start` starts one. A signatures subgraph in a process of its own needs it.",
    ),
});
