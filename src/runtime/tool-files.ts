export { describeProblem, type FileStatus } from "../workshop/status.ts";
