// Writes a log line to standard error, and then a line to standard output.
import { createLogger } from "../../core/observability/logger.ts";

createLogger("info").info("a log line");
setTimeout(() => console.log("the process goes on"), 50);
