/**
 * Small values shared by all file kinds of the `.bmad` format v1.1: version, ids, dates.
 */
import * as z from './zod.ts';

/** The format version that packages are written in. */
export const FORMAT_VERSION = '1.1';

/** Formats this runtime reads; 1.2 adds sub-workflows and nothing else that it knows. */
export const READABLE_FORMAT = /^1\.[12](\.\d+)?$/;

export const schemaVersionSchema = z
  .string()
  .check(
    z.regex(READABLE_FORMAT),
    z.meta({ description: 'Version of the package format, as a string: "1.1", or "1.2" for sub-workflows.' }),
  );

export const identifierSchema = z
  .string()
  .check(
    z.regex(/^[A-Za-z0-9][A-Za-z0-9._:-]*$/),
    z.meta({ description: 'Starts with a letter or digit; then letters, digits, ".", "_", ":" and "-".' }),
  );

/** Reference to the JSON Schema, for the author's editor. */
export const schemaReferenceSchema = z.optional(z.string());

/** A limit, as the integer of a JSON Schema: may exceed the safe integers, since no file reaches that anyway. */
export const limitSchema = z
  .number()
  .check(
    z.minimum(1),
    z.refine(Number.isInteger, { message: 'expected a whole number' }),
    z.meta({ type: 'integer' }),
  );

/** An open JSON object whose content belongs to its author. */
export const freeObjectSchema = z.record(z.string(), z.unknown());

export const dateTimeSchema = z
  .string()
  .check(
    z.refine(isDateTime, { message: 'expected an RFC 3339 date-time such as 2026-01-31T09:30:00Z' }),
    z.meta({ format: 'date-time' }),
  );

const MINUTES_A_DAY = 24 * 60;
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** True for an RFC 3339 date-time with a valid date and time. A leap second is the last second of a day in UTC. */
export function isDateTime(text: string): boolean {
  const match = DATE_TIME.exec(text);
  if (!match) return false;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const daysInMonth = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth;
  if (!isDay || hour > 23 || minute > 59 || second > 60) return false;
  if (second < 60) return true;
  const [sign, offsetHours = 0, offsetMinutes = 0] = match.slice(9, 12);
  const offset = (sign === '-' ? -1 : 1) * (Number(offsetHours) * 60 + Number(offsetMinutes));
  return (hour * 60 + minute - offset + MINUTES_A_DAY) % MINUTES_A_DAY === MINUTES_A_DAY - 1;
}
