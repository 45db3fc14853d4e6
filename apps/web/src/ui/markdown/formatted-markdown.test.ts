import { expect, it } from 'vitest';
import { decodeReferences } from './formatted-markdown.tsx';

it.each([
  ['a &amp; b &lt;c&gt;', 'a & b <c>'],
  ['&mdash;&#8212;&#x2014;', '———'],
  ['&nothing; &; & &#;', '&nothing; &; & &#;'],
  ['&#0;&#xD800;&#x110000;', '\ufffd\ufffd\ufffd'],
])('[U7] decodes the character references of markdown: %s', (text, expected) => {
  expect(decodeReferences(text)).toBe(expected);
});

it('[U7] replaces bidi characters that a reference decodes to', () => {
  expect(decodeReferences('&#8238;abc&#x202e;')).not.toContain('\u202e');
});
