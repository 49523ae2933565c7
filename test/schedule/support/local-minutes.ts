/** Each minute of a stretch of time with what clocks of a zone show then. Made without any of the code that is tested. */
export interface LocalMinute {
  readonly at: number;
  /** `2026-03-29 03:00` */
  readonly shown: string;
}

const quarterMs = 900_000;

export function localMinutes(timeZone: string, from: number, days: number): LocalMinute[] {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  const minutes: LocalMinute[] = [];
  // Offsets change on quarters of an hour.
  for (let quarter = from; quarter < from + days * 86_400_000; quarter += quarterMs) {
    const local = Date.parse(`${format.format(quarter).replace(" ", "T")}Z`);
    for (let minute = 0; minute < 15; minute++) {
      const shown = new Date(local + minute * 60_000).toISOString().slice(0, 16).replace("T", " ");
      minutes.push({ at: quarter + minute * 60_000, shown });
    }
  }
  return minutes;
}

/** Midnights in UTC before which, or on which, clocks of the zone are set within these years. */
export function changeDays(timeZone: string, years: readonly number[]): number[] {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset", year: "numeric" });
  const days: number[] = [];
  for (const year of years) {
    let before = format.format(Date.UTC(year, 0, 1)).split(", ")[1];
    for (let day = 1; day <= 365; day++) {
      const at = Date.UTC(year, 0, 1 + day);
      const offset = format.format(at).split(", ")[1];
      if (offset !== before) days.push(at - 86_400_000);
      before = offset;
    }
  }
  return days;
}
