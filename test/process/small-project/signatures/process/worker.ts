import { version } from "../../version.ts";

console.log("worker", version);
