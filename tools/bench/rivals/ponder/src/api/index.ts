import { Hono } from "hono";

// Ponder requires an API.
const app = new Hono();

export { app as default };
