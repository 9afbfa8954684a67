import startServer from "../support/global-setup.ts";

export default startServer;
