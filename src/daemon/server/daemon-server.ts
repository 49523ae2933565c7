import type { Clock } from "../../core/clock.ts";
import { createLimitedServer, defaultLimits, type ServerLimits } from "../../http/create-server.ts";
import { listenOn, type Listening, type ListenPlace } from "../../http/listen.ts";
import { readToken, tokenFileIn } from "../../mcp/server/http/token-file.ts";
import { userName } from "../../config/user-name.ts";
import { createLoginCodes, openBrowserSessions } from "../access/browser-sessions.ts";
import { openNamedTokens } from "../access/named-tokens.ts";
import { createDoorkeeper, ownerTokenIn, pageKeyOf } from "../access/visitors.ts";
import { createRequestHandler } from "./answer-request.ts";
import type { Endpoint } from "./route.ts";
import { createOwnEndpoints, type OwnParts } from "./own-endpoints.ts";
import { webFiles } from "./web-files.ts";

export interface ServerParts extends Pick<
  OwnParts,
  "state" | "findWriteProblem" | "hub" | "recheckStreams" | "mcp" | "stop" | "restart"
> {
  readonly stateFolder: string;
  readonly listen: ListenPlace;
  readonly endpoints: readonly Endpoint[];
  readonly limits: Partial<ServerLimits>;
  readonly clock: Clock;
  readonly mask: (text: string) => string;
  readonly onError: (thrown: unknown) => void;
}

export interface DaemonServer {
  readonly url: string;
  /** Null over a socket, which browsers can't use. */
  createLoginLink(): string | null;
  /** What is under way is told to end. */
  abortAll(): void;
  close(): Promise<void>;
}

type Place = Pick<Listening, "hosts" | "origin">;

/** Event streams, and as many again for everything else. */
const limits: ServerLimits = { ...defaultLimits, connections: 600 };

const graceMs = 500;

/** Answers from the first moment on; what needs the runtime is told to wait until the state is `ready`. */
export async function openDaemonServer(parts: ServerParts): Promise<DaemonServer> {
  const { stateFolder, clock, state, listen } = parts;
  const sessions = openBrowserSessions(stateFolder, clock);
  const codes = createLoginCodes(clock);
  const namedTokens = openNamedTokens(stateFolder);
  // What is wrong with the file is said now, not when the first program comes.
  namedTokens.list();
  let listening: Place = { hosts: [], origin: null };
  const cookieName = (): string => cookieOf(listening);
  const ownerToken = readToken(ownerTokenIn(stateFolder));
  const keyOf = (secret: string): string => pageKeyOf(secret, ownerToken);
  const handler = createRequestHandler({
    ...parts,
    hosts: () => listening.hosts,
    endpoints: [...createOwnEndpoints({ ...parts, codes, sessions, cookieName, pageKeyOf: keyOf }), ...parts.endpoints],
    files: webFiles,
    doorkeeper: createDoorkeeper({
      ownerToken,
      mcpToken: readToken(tokenFileIn(stateFolder)),
      namedTokens,
      sessions,
      owner: userName(),
      cookieName,
      clock,
      onError: parts.onError,
    }),
    whyNot: () => (state() === "ready" ? null : `The daemon is ${state()}.`),
  });
  const server = createLimitedServer((request, response) => void handler.answer(request, response), {
    ...limits,
    ...parts.limits,
  });
  const open = await listenOn(server, listen, "The daemon");
  listening = open;
  return {
    url: "socketPath" in listen ? `unix:${listen.socketPath}` : listening.origin!,
    createLoginLink: () =>
      listening.origin === null ? null : `${listening.origin}/#code=${codes.create("owner").code}`,
    abortAll: () => handler.abortAll(),
    async close() {
      const closed = open.close();
      server.closeIdleConnections();
      // Answers that are on their way get there; nobody else is waited for.
      const cancel = clock.after(graceMs, () => server.closeAllConnections());
      await closed;
      cancel();
    },
  };
}

/** Browsers send cookies of one port to all others of a host: with its port in the name, daemons do not log each other out. */
function cookieOf({ origin }: Place): string {
  const port = /:(\d+)$/.exec(origin ?? "")?.[1];
  return port === undefined ? "deckhand_session" : `deckhand_session_${port}`;
}
