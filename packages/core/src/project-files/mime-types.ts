/**
 * MIME type guessed from the file name, for display only.
 */
import { mimeOf } from '../tools/files/text-file.ts';

const BY_EXTENSION: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  markdown: 'text/markdown',
  txt: 'text/plain',
  log: 'text/plain',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  html: 'text/html',
  htm: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  xml: 'application/xml',
  svg: 'image/svg+xml',
  avif: 'image/avif',
  bmp: 'image/bmp',
};
const UNKNOWN = 'application/octet-stream';

export function mimeTypeOf(name: string, isText: boolean): string {
  const extension = name.includes('.') ? name.toLowerCase().split('.').at(-1) : undefined;
  const known = (extension && BY_EXTENSION[extension]) || mimeOf(name);
  return known === UNKNOWN && isText ? 'text/plain' : known;
}
