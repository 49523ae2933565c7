import type { ActiveCall } from "./prepare-call.ts";
import type { Slots } from "./slots.ts";

/** The way to give the slot back, or nothing when the call was stopped while it waited. */
export function takeSlot(
  slots: Slots,
  active: ActiveCall,
): (() => void) | undefined | Promise<(() => void) | undefined> {
  const { control } = active;
  if (control.cause) return undefined;
  const release = (): void => slots.release();
  if (slots.tryTake()) return release;

  return new Promise((resolve) => {
    const giveUp = slots.wait(() => {
      control.onStop(null);
      resolve(release);
    });
    control.onStop(() => {
      giveUp();
      resolve(undefined);
    });
  });
}
