import stopServer from "../support/database/global-teardown.ts";

export default stopServer;
