export { default } from "../support/global-setup.ts";
