/**
 * Extracts the message and codes of a provider's error response, and sanitizes text for quoting: no control
 * characters, no API key, bounded length. Pure.
 */
import { isObject } from '@crewagent/protocol/json-object';
import { type JsonRecord, textIn } from '../untrusted-json.ts';

export interface ProviderError {
  /** As the provider wrote it; not safe to show. */
  readonly message: string;
  /** All error codes and types, in lower case. */
  readonly codes: string;
  readonly fields: JsonRecord;
}

export function parseProviderError(body: string): ProviderError {
  try {
    return toProviderError(JSON.parse(body));
  } catch {
    const title = /<title[^>]*>([^<]*)/i.exec(body.slice(0, 4_096))?.[1];
    const isMarkup = body.trimStart().startsWith('<');
    return { message: title ?? (isMarkup ? '' : body), codes: '', fields: {} };
  }
}

/** From parsed JSON: a whole body, or the error of an event. */
export function toProviderError(value: unknown): ProviderError {
  const outer: unknown = Array.isArray(value) ? value[0] : value;
  const inner = isObject(outer) && isObject(outer.error) ? outer.error : outer;
  const fields = isObject(inner) ? inner : {};
  const codes = [fields.code, fields.type, fields.status, isObject(outer) ? outer.code : '']
    .map((code) => textIn(code).toLowerCase())
    .join(' ');
  return { message: messageIn(outer, 6), codes, fields };
}

const MESSAGE_FIELDS = ['message', 'error', 'detail', 'msg', 'errors', 'error_message'];

function messageIn(value: unknown, levels: number): string {
  if (typeof value === 'string') return value;
  if (levels === 0) return '';
  if (Array.isArray(value)) return messageIn(value[0], levels - 1);
  if (!isObject(value)) return '';
  for (const name of MESSAGE_FIELDS) {
    const message = messageIn(value[name], levels - 1);
    // Gateways put the message of the underlying provider into `metadata.raw`.
    if (message !== '')
      return isObject(value.metadata) ? `${message} ${textIn(value.metadata.raw)}` : message;
  }
  return '';
}

const MAX_QUOTED = 300;

/** Safe to show: one line, no control or direction characters, no key, bounded length. */
export function toQuotable(text: string, apiKey: string | undefined): string {
  const plain = text
    .slice(0, 100_000)
    .replace(/[\p{Cf}\p{Co}\p{Cs}]/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  const safe = apiKey === undefined ? plain : withoutKey(plain, apiKey);
  return safe.length > MAX_QUOTED ? `${safe.slice(0, MAX_QUOTED - 1)}…` : safe;
}

/** Length of a key prefix that is hidden even if the text ends inside the key. */
const KEY_PREFIX_LENGTH = 8;

const KEY_MARKER = '[key]';

/** Continues behind each marker: a key may be part of the marker, or of itself. */
export function withoutKey(text: string, apiKey: string): string {
  let safe = text;
  for (const key of new Set([apiKey, encodeURIComponent(apiKey)])) {
    const start = key.slice(0, KEY_PREFIX_LENGTH);
    if (start === '') continue;
    const parts: string[] = [];
    let from = 0;
    for (let at = safe.indexOf(start); at !== -1; at = safe.indexOf(start, from)) {
      let end = at + start.length;
      while (end < safe.length && end - at < key.length && safe[end] === key[end - at]) end++;
      parts.push(safe.slice(from, at), KEY_MARKER);
      from = end;
    }
    safe = parts.join('') + safe.slice(from);
  }
  return safe;
}
