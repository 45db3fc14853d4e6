/**
 * Formats numbers and sizes in the chosen language; times in that language and in the user's time zone.
 */
import { i18n, toLocale } from './i18n.ts';

export function formatNumber(value: number): string {
  return numbers().format(value);
}

/** 12,345 → 12.3K, 1.2 万 */
export function formatCompact(value: number): string {
  return spaced(numbers({ notation: 'compact', maximumFractionDigits: 1 }).format(value));
}

export function formatPercent(share: number): string {
  return numbers({ style: 'percent' }).format(share);
}

export function formatCost(usd: number): string {
  const digits = usd !== 0 && usd < 0.01 ? 4 : 2;
  return numbers({
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  }).format(usd);
}

export function formatBytes(bytes: number): string {
  const power = [1e3, 1e6, 1e9].filter((size) => bytes >= size).length;
  const value = bytes / 1e3 ** power;
  const digits = value < 10 && power > 0 ? 1 : 0;
  // The same unit symbols in every language; the non-breaking space holds number and unit together.
  return `${numbers({ maximumFractionDigits: digits }).format(value)}\u00a0${['B', 'kB', 'MB', 'GB'][power]}`;
}

export function formatDuration(ms: number): string {
  if (ms < 1_000) return formatUnit(Math.round(ms), 'millisecond');
  const seconds = ms / 1_000;
  if (seconds < 60) return formatUnit(seconds, 'second', seconds < 10 ? 1 : 0);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60)
    return `${formatUnit(minutes, 'minute')} ${formatUnit(Math.round(seconds % 60), 'second')}`;
  return `${formatUnit(Math.floor(minutes / 60), 'hour')} ${formatUnit(minutes % 60, 'minute')}`;
}

/** For a running clock: 1:40, 1:02:05. */
export function formatElapsed(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}

/** Undefined for what is over before anybody notices. */
export function formatNoticeable(ms: number | undefined): string | undefined {
  return ms === undefined || ms < 100 ? undefined : formatDuration(ms);
}

export function formatTime(iso: string): string {
  return dates({ hour: '2-digit', minute: '2-digit' }).format(new Date(iso));
}

/** Time to the second, as short as possible: for logs. */
export function formatClock(iso: string): string {
  return dates({ timeStyle: 'medium', hourCycle: 'h23' }).format(new Date(iso));
}

export function formatDateTime(iso: string): string {
  return dates({ dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));
}

/** Of a day such as 2026-11-18. */
export function formatDay(day: string): string {
  return dates({ dateStyle: 'medium' }).format(new Date(`${day}T12:00`));
}

/** The time if it was today, else the date. */
export function formatWhen(iso: string, now = new Date()): string {
  const then = new Date(iso);
  if (then.toDateString() === now.toDateString()) return formatTime(iso);
  const year = then.getFullYear() === now.getFullYear() ? undefined : 'numeric';
  return dates({ month: 'short', day: 'numeric', year }).format(then);
}

/** The first formatter of a kind loads the browser's data of the language, which takes longer than a frame. */
export const formatSteps = [() => void formatTime(new Date().toISOString()), () => void formatNumber(0)];

function formatUnit(value: number, unit: string, digits = 0): string {
  const unitDisplay = i18n.language === 'en' ? 'narrow' : 'short';
  return spaced(numbers({ style: 'unit', unit, unitDisplay, maximumFractionDigits: digits }).format(value));
}

/** Chinese puts a space between a number and its unit. */
function spaced(text: string): string {
  return text.replace(/(\d)(\p{Script=Han})/u, '$1 $2');
}

const numbers = cached((options: Intl.NumberFormatOptions) => new Intl.NumberFormat(i18n.language, options));
const dates = cached(
  (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(toLocale(i18n.language, globalThis.navigator?.languages ?? []), options),
);

/** Caches formatters: creating one takes a hundred times as long as using it. */
function cached<Options extends object, Format>(make: (options: Options) => Format) {
  const made = new Map<string, Format>();
  return (options = {} as Options): Format => {
    const key = i18n.language + JSON.stringify(options);
    const known = made.get(key) ?? make(options);
    made.set(key, known);
    return known;
  };
}
