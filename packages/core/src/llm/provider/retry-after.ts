/**
 * How long a provider asks us to wait, from the headers of its answer. Pure: a date is held against the date the answer
 * itself bears, so that our clock does not matter.
 */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

const MAX_WAIT_MS = 86_400_000;

/** In milliseconds, at most a day; undefined when nothing sensible was said. */
export function retryAfterIn(headers: Headers): number | undefined {
  const wanted = toNumber(headers['retry-after-ms']) ?? seconds(headers['retry-after']) ?? untilDate(headers);
  if (wanted === undefined || wanted < 0) return undefined;
  return Math.min(Math.ceil(wanted), MAX_WAIT_MS);
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
  // Only what looks like a date of HTTP: the parser of dates takes nearly anything.
  if (!/^[A-Z][a-z]{2,8}, /.test(until)) return undefined;
  const wait = Date.parse(until) - Date.parse(date);
  return Number.isNaN(wait) ? undefined : wait;
}
