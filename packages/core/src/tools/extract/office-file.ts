/** Reads the XML parts of Word and Excel files: a zip whose parts are parsed without a tree. No part grows beyond its declared size. */
import { unzipSync } from 'fflate';
import { SaxesParser } from 'saxes';

const MAX_PART_BYTES = 64 * 1024 * 1024;
const MAX_TOTAL_BYTES = 128 * 1024 * 1024;

export type OfficeParts = ReadonlyMap<string, Uint8Array>;

/** The wanted parts. Throws if this is not a zip, or if the parts are too large. */
export function readParts(bytes: Uint8Array, isWanted: (name: string) => boolean): OfficeParts {
  let total = 0;
  const parts = unzipSync(bytes, {
    filter({ name, originalSize }) {
      if (!isWanted(name)) return false;
      total += originalSize;
      if (originalSize > MAX_PART_BYTES || total > MAX_TOTAL_BYTES)
        throw new RangeError('the parts are too large');
      return true;
    },
  });
  return new Map(Object.entries(parts));
}

export interface XmlEvents {
  /** Names are without their prefix. */
  open?(name: string, attribute: (name: string) => string | undefined): void;
  close?(name: string): void;
  text?(text: string): void;
}

const CHUNK_CHARS = 65_536;

/** Parses until `isDone`. Entities of a document type are not expanded. Throws if the XML is not well-formed. */
export function parseXml(part: Uint8Array, events: XmlEvents, isDone: () => boolean = () => false): void {
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) =>
    events.open?.(
      localOf(name),
      (wanted) =>
        attributes[wanted] ?? Object.entries(attributes).find(([own]) => localOf(own) === wanted)?.[1],
    ),
  );
  parser.on('closetag', ({ name }) => events.close?.(localOf(name)));
  parser.on('text', (text) => events.text?.(text));
  parser.on('cdata', (text) => events.text?.(text));
  const xml = new TextDecoder().decode(part);
  for (let at = 0; at < xml.length && !isDone(); at += CHUNK_CHARS)
    parser.write(xml.slice(at, at + CHUNK_CHARS));
  if (!isDone()) parser.close();
}

function localOf(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
