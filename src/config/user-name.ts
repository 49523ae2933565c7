import { userInfo } from "node:os";

/** How a person is called in the records. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user without an entry in the system's list, as in many containers.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
