import startServer from "../support/database/global-setup.ts";

export default startServer;
