export { default } from "../support/global-teardown.ts";
