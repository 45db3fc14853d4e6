/** A time of the file system as text; disks know times that calendars do not. */
export function toTimestamp(milliseconds: number): string {
  return new Date(Math.min(Math.max(milliseconds, 0), LATEST_MS)).toISOString();
}

const LATEST_MS = Date.UTC(9999, 11, 31);
