/** File system time as ISO text; file systems allow times outside the range of Date. */
export function toTimestamp(milliseconds: number): string {
  return new Date(Math.min(Math.max(milliseconds, 0), LATEST_MS)).toISOString();
}

const LATEST_MS = Date.UTC(9999, 11, 31);
