import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFrameReader, type Frame } from './server-sent-events.ts';

function readAll(pieces: readonly string[]): Frame[] {
  const frames: Frame[] = [];
  const reader = createFrameReader((frame) => frames.push(frame));
  for (const piece of pieces) reader.read(piece);
  return frames;
}

const CASES: [string, string, Frame[]][] = [
  ['one event', 'data: a\n\n', [{ event: '', data: 'a', id: '' }]],
  ['a name and an id', 'event: x\nid: 7\ndata: a\n\n', [{ event: 'x', data: 'a', id: '7' }]],
  ['several lines of data', 'data: a\ndata: b\n\n', [{ event: '', data: 'a\nb', id: '' }]],
  ['no space after the colon', 'data:a\n\n', [{ event: '', data: 'a', id: '' }]],
  ['comments', ': ping\ndata: a\n\n:\n\n', [{ event: '', data: 'a', id: '' }]],
  [
    'CRLF',
    'data: a\r\n\r\ndata: b\r\n\r\n',
    [
      { event: '', data: 'a', id: '' },
      { event: '', data: 'b', id: '' },
    ],
  ],
  [
    'CR alone',
    'data: a\r\rdata: b\r\r:',
    [
      { event: '', data: 'a', id: '' },
      { event: '', data: 'b', id: '' },
    ],
  ],
  ['a mark of byte order', '\uFEFFdata: a\n\n', [{ event: '', data: 'a', id: '' }]],
  [
    'an id that applies to later events',
    'id: 3\ndata: a\n\ndata: b\n\n',
    [
      { event: '', data: 'a', id: '3' },
      { event: '', data: 'b', id: '3' },
    ],
  ],
  ['an event without data', 'event: x\nid: 9\n\ndata: b\n\n', [{ event: '', data: 'b', id: '9' }]],
  ['an unfinished event', 'data: a\n\ndata: b\n', [{ event: '', data: 'a', id: '' }]],
];

describe('server-sent events', () => {
  it.each(CASES)('[H40] %s', (_, text, frames) => {
    expect(readAll([text])).toEqual(frames);
  });

  it('[H40] are parsed the same in chunks of any size', () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n\0]/g, ' '));
    const event = fc.record({
      data: fc.array(line, { minLength: 1, maxLength: 3 }),
      name: line,
      end: fc.constantFrom('\n', '\r\n'),
    });
    const stream = fc
      .array(event, { maxLength: 5 })
      .map((events) =>
        events
          .map(({ data, name, end }) =>
            [`event: ${name}`, ...data.map((part) => `data: ${part}`), '', ''].join(end),
          )
          .join(''),
      );
    fc.assert(
      fc.property(stream, fc.array(fc.nat({ max: 400 }), { maxLength: 12 }), (text, cuts) => {
        const offsets = [...cuts.map((cut) => cut % (text.length + 1)), text.length].sort((a, b) => a - b);
        const pieces = offsets.map((offset, index) => text.slice(offsets[index - 1] ?? 0, offset));
        expect(readAll(pieces)).toEqual(readAll([text]));
      }),
    );
  });
});
