import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { join } from "node:path";

/**
 * Stands between a client and PostgreSQL as a pooler does that shares connections by transaction: it knows no limits in the first
 * message, and notifications do not get through.
 */
export interface StrictPooler {
  /** The address of a database, by way of this. */
  readonly addressOf: (address: string) => string;
  close(): Promise<void>;
}

export async function openStrictPooler(serverFolder: string): Promise<StrictPooler> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on("error", () => {});
    client.once("data", (first) => {
      if (first.includes("statement_timeout")) {
        client.end(errorMessage("unsupported startup parameter: statement_timeout"));
        return;
      }
      const behind = connect(join(serverFolder, ".s.PGSQL.5432"));
      sockets.add(behind);
      behind.on("error", () => client.destroy());
      behind.on("close", () => client.destroy());
      client.on("close", () => behind.destroy());
      behind.write(first);
      client.pipe(behind);
      const withoutNews = dropNotifications();
      behind.on("data", (chunk) => client.write(withoutNews(chunk)));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    addressOf: (address) => `postgres://deckhand@127.0.0.1:${port}/${/test_\d+/.exec(address)![0]}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Messages are a letter, their length, and the rest; those of the letter A are news. */
function dropNotifications(): (chunk: Buffer) => Buffer {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const kept: Buffer[] = [];
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const end = rest.readInt32BE(1) + 1;
      if (rest[0] !== 0x41) kept.push(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
    return Buffer.concat(kept);
  };
}

function errorMessage(text: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${text}\0\0`);
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
