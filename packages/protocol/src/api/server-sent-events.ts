/**
 * Reads server-sent events from text in pieces of any size, as the standard has it: any kind of line end, comments, several
 * lines of data. An event that is not finished when the stream ends is none; whoever reads on asks for it again. Pure.
 */
export interface Frame {
  /** Empty for one without a name. */
  readonly event: string;
  readonly data: string;
  /** Of this event, or of the last one that had an id. */
  readonly id: string;
}

export interface FrameReader {
  read(text: string): void;
}

export function createFrameReader(onFrame: (frame: Frame) => void): FrameReader {
  /** Of the line that is not finished: joined once, however many pieces it comes in. */
  let open: string[] = [];
  let isFirst = true;
  let isAfterCr = false;
  let data: string[] = [];
  let event = '';
  let id = '';

  const readLine = (line: string): void => {
    if (line === '') {
      if (data.length > 0) onFrame({ event, data: data.join('\n'), id });
      data = [];
      event = '';
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
  };

  return {
    read(text) {
      if (text === '') return;
      let start = 0;
      if (isFirst && text.startsWith('\uFEFF')) start = 1;
      // The other half of a line end that was cut in two.
      if (isAfterCr && text.startsWith('\n')) start = 1;
      isFirst = false;
      isAfterCr = text.endsWith('\r');
      const breaks = /\r\n|\r|\n/g;
      breaks.lastIndex = start;
      for (let found = breaks.exec(text); found; found = breaks.exec(text)) {
        open.push(text.slice(start, found.index));
        readLine(open.join(''));
        open = [];
        start = breaks.lastIndex;
      }
      if (start < text.length) open.push(text.slice(start));
    },
  };
}
