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
  let rest = '';
  let isFirst = true;
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
      const from = rest.length;
      rest += text;
      if (isFirst && rest.length > 0) {
        isFirst = false;
        if (rest.startsWith('\uFEFF')) rest = rest.slice(1);
      }
      rest = takeLines(rest, Math.max(0, from - 1), readLine);
    },
  };
}

/** Tells every finished line and answers what is left. A CR at the very end may be half of a line end. */
function takeLines(text: string, searched: number, onLine: (line: string) => void): string {
  let start = 0;
  for (let at = nextBreak(text, searched); at !== -1; at = nextBreak(text, start)) {
    const isCr = text[at] === '\r';
    if (isCr && at === text.length - 1) break;
    onLine(text.slice(start, at));
    start = at + (isCr && text[at + 1] === '\n' ? 2 : 1);
  }
  return text.slice(start);
}

function nextBreak(text: string, from: number): number {
  const lf = text.indexOf('\n', from);
  const cr = text.indexOf('\r', from);
  if (lf === -1) return cr;
  return cr === -1 ? lf : Math.min(lf, cr);
}
