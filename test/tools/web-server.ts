import { createServer, type RequestListener, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import type { TestContext } from "node:test";

export interface TestServer {
  readonly server: Server;
  readonly port: number;
  /** `GET /path` of each request. */
  readonly requests: string[];
  connect(): Promise<Socket>;
}

/** A real server on this machine, gone after the test. */
export async function openServer(t: TestContext, serve: RequestListener): Promise<TestServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    serve(request, response);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    server,
    port,
    requests,
    async connect() {
      const socket = connect({ host: "127.0.0.1", port });
      await new Promise((resolve, reject) => {
        socket.once("connect", resolve);
        socket.once("error", reject);
      });
      return socket;
    },
  };
}
