import { lookup } from "node:dns/promises";

/** All addresses of a name. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

/** As every program of this machine would resolve it: hosts file included. */
export const resolveBySystem: ResolveName = async (name) => {
  const found = await lookup(name, { all: true, order: "verbatim" });
  return found.map(({ address }) => address);
};
