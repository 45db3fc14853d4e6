/**
 * Parses server-sent events from chunks of any size, as the standard defines: any line ending, comments, several data lines. An
 * unfinished event at the end of the stream is dropped; a reader that resumes receives it again. Pure.
 */
export interface Frame {
  /** Empty for an event without a name. */
  readonly event: string;
  readonly data: string;
  /** Id of this event, or of the last event with an id. */
  readonly id: string;
}

export function createFrameReader(onFrame: (frame: Frame) => void) {
  /** Pieces of the unfinished line, joined once however many there are. */
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
    read(text: string): void {
      if (text === '') return;
      let start = 0;
      if (isFirst && text.startsWith('\uFEFF')) start = 1;
      // The second half of a CRLF that was split between chunks.
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
