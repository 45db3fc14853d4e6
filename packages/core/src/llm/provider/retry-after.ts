/**
 * Reads how long a provider asks us to wait from response headers. Pure: a date is compared with the response's own
 * `Date` header, not with our clock.
 */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

const MAX_WAIT_MS = 86_400_000;

/** In milliseconds, at most a day; undefined without a valid value. */
export function retryAfterIn(headers: Headers): number | undefined {
  const waitMs = toNumber(headers['retry-after-ms']) ?? seconds(headers['retry-after']) ?? untilDate(headers);
  if (waitMs === undefined || waitMs < 0) return undefined;
  return Math.min(Math.ceil(waitMs), MAX_WAIT_MS);
}

function toNumber(value: string | string[] | undefined): number | undefined {
  return typeof value === 'string' && /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

function seconds(value: string | string[] | undefined): number | undefined {
  const number = toNumber(value);
  return number === undefined ? undefined : number * 1_000;
}

function untilDate({ date, 'retry-after': until }: Headers): number | undefined {
  if (typeof until !== 'string' || typeof date !== 'string') return undefined;
  // Only HTTP dates: `Date.parse` accepts almost anything.
  if (!/^[A-Z][a-z]{2,8}, /.test(until)) return undefined;
  const wait = Date.parse(until) - Date.parse(date);
  return Number.isNaN(wait) ? undefined : wait;
}
