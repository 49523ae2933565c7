/** What the adapter tells the driver, in a file. */
export interface DriverOrder {
  readonly message: string;
  readonly systemPrompt: string | null;
  readonly model: string | null;
  readonly cwd: string;
  readonly resume: string | null;
  readonly bypassesPermissions: boolean;
}

/** What the driver prints, one per line. */
export type DriverEvent =
  | { readonly type: "session"; readonly session_id: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly title: string }
  | { readonly type: "end"; readonly ok: true; readonly stop_reason: string }
  | { readonly type: "end"; readonly ok: false; readonly error: string };
