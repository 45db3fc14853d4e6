import { expect, it } from 'vitest';
import { parseValues } from './server-values.ts';

it.each([
  ['', {}],
  ['TOKEN=abc\n\n X-Key = a=b ', { TOKEN: 'abc', 'X-Key': 'a=b' }],
  ['TOKEN', undefined],
  ['TOKEN=', undefined],
  ['1A=b', undefined],
])('[U360] the values %j of a server are %j', (text, values) => {
  expect(parseValues(text)).toEqual(values);
});
