import stopServer from "../../test/support/database/global-teardown.ts";

export default stopServer;
