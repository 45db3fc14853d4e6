/**
 * Server-sent events: text in pieces of any size goes in, the data of events comes out. Says of every piece whether it
 * carried data, because comments and pings are no sign of progress. Pure.
 */
import { createParser } from 'eventsource-parser';

export interface EventReader {
  /** Whether the text carried data. */
  read(text: string): boolean;
  /** Gives out the last event, should the blank line after it be missing. */
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
      // One event may be longer than a piece; its bytes count as they come.
      return events > 0 || lineStart === DATA_FIELD;
    },
    end: () => parser.feed('\n\n'),
  };
}

/** The first characters of the line that the text leaves open. */
function startOfOpenLine(before: string, text: string): string {
  const newLine = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'));
  const open = newLine === -1 ? before + text.slice(0, DATA_FIELD.length) : text.slice(newLine + 1);
  return open.slice(0, DATA_FIELD.length);
}
