import stopServer from "../support/global-teardown.ts";

export default stopServer;
