/**
 * Parses server-sent events from text chunks of any size. Reports for each chunk whether it contained data, because
 * comments and pings are not progress. Pure.
 */
import { createParser } from 'eventsource-parser';

export interface EventReader {
  /** Returns whether the text contained data. */
  read(text: string): boolean;
  /** Emits the last event if the blank line after it is missing. */
  end(): void;
}

export interface ServerEvent {
  readonly data: string;
  readonly isError: boolean;
}

const PING = /^(?:ping|keep-?alive|heartbeat)$/i;
const DATA_FIELD = 'data:';

export function createEventReader(onEvent: (event: ServerEvent) => void): EventReader {
  let events = 0;
  let lineStart = '';
  const parser = createParser({
    onEvent({ event, data }) {
      if (data.trim() === '' || (event !== undefined && PING.test(event))) return;
      events++;
      onEvent({ data, isError: event === 'error' });
    },
  });
  return {
    read(text) {
      events = 0;
      parser.feed(text);
      lineStart = startOfOpenLine(lineStart, text);
      // An event may be longer than a chunk; each of its chunks counts as data.
      return events > 0 || lineStart === DATA_FIELD;
    },
    end: () => parser.feed('\n\n'),
  };
}

/** The first characters of the unterminated last line. */
function startOfOpenLine(before: string, text: string): string {
  const newLine = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'));
  const open = newLine === -1 ? before + text.slice(0, DATA_FIELD.length) : text.slice(newLine + 1);
  return open.slice(0, DATA_FIELD.length);
}
