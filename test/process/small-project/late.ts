import { version } from "./version.ts";

export const late = `late ${version}`;

export function failure(): Error {
  return new Error("failed");
}
