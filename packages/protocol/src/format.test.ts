import { describe, expect, it } from 'vitest';
import { identifierSchema, isDateTime, schemaVersionSchema } from './format.ts';

describe('the small values of the format', () => {
  it.each(['1.1', '1.1.0', '1.1.12', '1.2', '1.2.3'])('[B1] %s is a supported version', (version) => {
    expect(schemaVersionSchema.safeParse(version).success).toBe(true);
  });

  it.each(['1.3', '1.0', '1.10', '1.20', '2.1', '1.1.', '1.1.x', ' 1.1', '1', '', 1.1, null])(
    '[B1] %j is not a supported version',
    (version) => {
      expect(schemaVersionSchema.safeParse(version).success).toBe(false);
    },
  );

  it.each(['a', '1', 'step-01', 'a:b', 'A.b_c-d'])('[B1] %s is an id', (id) => {
    expect(identifierSchema.safeParse(id).success).toBe(true);
  });

  it.each(['', '-a', '.a', 'a b', 'a/b', 'é', 'a\n'])('[B1] %j is not an id', (id) => {
    expect(identifierSchema.safeParse(id).success).toBe(false);
  });

  it.each([
    '2026-01-31T09:30:00Z',
    '2026-01-31t09:30:00z',
    '2026-01-31T09:30:00.123456+08:00',
    '2026-01-01T00:00:00+02:00',
    '2024-02-29T23:59:60Z',
    '2016-12-31T23:59:60.999Z',
    '2017-01-01T00:59:60+01:00',
    '2017-01-01T05:29:60+05:30',
    '2016-12-31T18:29:60-05:30',
    '2000-02-29T00:00:00-23:59',
    '0000-02-29T00:00:00Z',
  ])('[B1] %s is a date-time', (text) => {
    expect(isDateTime(text)).toBe(true);
  });

  it.each([
    '',
    '2026-01-31',
    '2026-01-31T09:30:00',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T09:60:00Z',
    '2026-01-31T09:30:61Z',
    '2026-01-31T09:30:60Z',
    '2016-12-31T23:59:60+01:00',
    '2026-01-01T00:00:00+0200',
    '2026-01-31T09:30:00+24:00',
    '2026-01-31T09:30:00Z\n',
  ])('[B1] %j is not a date-time', (text) => {
    expect(isDateTime(text)).toBe(false);
  });
});
