import type { Runtime } from "../../../runtime/create-runtime.ts";

/** The person begins anew: `--continue` does not go on with it any more, its id still does. Says which one it was. */
export async function endSession(runtime: Runtime, wanted: string): Promise<string> {
  const session = await (await runtime.sessions()).open(wanted);
  try {
    session.append({ type: "ended" });
    return session.id;
  } finally {
    await session.close();
  }
}
