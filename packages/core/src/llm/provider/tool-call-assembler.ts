/**
 * Assembles tool calls from their deltas. By the protocol each delta names its call by `index`, and only the first
 * one has id and name; real providers omit, repeat or mix up each of these. Pure.
 */

import { isObject, parseJson } from '@crewagent/protocol/json-object';
import type { ReplyToolCall } from '../llm-adapter.ts';
import { isShallow, type JsonRecord, textIn } from '../untrusted-json.ts';

interface Piece {
  /** As sent; undefined if missing or invalid. */
  readonly index: number | undefined;
  /** The index, or the entry's position in the delta. */
  readonly slot: number;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

interface Draft {
  id: string;
  name: string;
  arguments: string;
  readonly extraFields: ReturnType<typeof createExtraFields>;
  lastDelta: number;
  completenessChecks: number;
}

const KNOWN: ReadonlySet<string> = new Set(['index', 'id', 'type', 'function', 'name', 'arguments']);
/** Checking whether arguments are complete reads all of them, so the number of checks is limited. */
const MAX_COMPLETENESS_CHECKS = 4;

export function createToolCallAssembler(toolNames: readonly string[]) {
  const drafts: Draft[] = [];
  const draftBySlot = new Map<number, Draft>();
  const draftById = new Map<string, Draft>();
  let delta = 0;
  let isBroken = false;
  let length = 0;

  /** Adds the `tool_calls` of one delta. In a whole message each entry is a separate call. */
  function add(entries: unknown, isWhole: boolean): void {
    delta++;
    const list: unknown[] = Array.isArray(entries) ? entries : [entries];
    for (const [position, entry] of list.entries()) {
      if (!isObject(entry)) continue;
      const piece = toPiece(entry, position);
      if (piece === undefined) {
        isBroken = true;
        return;
      }
      const draft = (isWhole ? undefined : draftOf(piece)) ?? newDraft();
      draftBySlot.set(piece.slot, draft);
      draft.lastDelta = delta;
      if (draft.id === '' && piece.id !== '') {
        draft.id = piece.id;
        draftById.set(piece.id, draft);
      }
      if (piece.name !== '') draft.name = joinName(draft.name, piece.name, toolNames);
      draft.arguments += piece.arguments;
      length += piece.arguments.length + piece.name.length + draft.extraFields.add(entry);
    }
  }

  /** The call that a piece belongs to; undefined if it starts a new call. */
  function draftOf(piece: Piece): Draft | undefined {
    const draftInSlot = draftBySlot.get(piece.slot);
    const draftWithId = piece.id === '' ? undefined : draftById.get(piece.id);
    if (piece.index === undefined && draftWithId !== undefined) {
      return draftWithId.lastDelta !== delta && !startsNewCall(piece, draftWithId) ? draftWithId : undefined;
    }
    if (draftInSlot === undefined) {
      // A new index without a name and without a new id is a wrong index.
      if (piece.name !== '') return undefined;
      return piece.id === '' ? drafts.at(-1) : draftWithId;
    }
    const isOtherId = piece.id !== '' && draftInSlot.id !== '' && piece.id !== draftInSlot.id;
    if (isOtherId) return draftWithId;
    return startsNewCall(piece, draftInSlot) ? undefined : draftInSlot;
  }

  function newDraft(): Draft {
    const draft: Draft = {
      id: '',
      name: '',
      arguments: '',
      extraFields: createExtraFields(KNOWN),
      lastDelta: delta,
      completenessChecks: 0,
    };
    drafts.push(draft);
    return draft;
  }

  return {
    add,
    /** A call that can be neither run nor answered was received. */
    isBroken: (): boolean => isBroken,
    /** Characters received so far. */
    length: (): number => length,
    toCalls(isCutByLength: boolean): ReplyToolCall[] {
      const calls = drafts.filter((draft) => draft.name !== '' || draft.arguments !== '');
      return calls.map((draft, position) => ({
        id: draft.id,
        name: draft.name,
        arguments: draft.arguments,
        isCutOff: isCutByLength && position === calls.length - 1 && parseJson(draft.arguments) === undefined,
        extra: draft.extraFields.toRecord(),
      }));
    },
  };
}

/** Undefined for arguments that cannot be serialised. */
function toPiece(entry: JsonRecord, position: number): Piece | undefined {
  const call = isObject(entry.function) ? entry.function : entry;
  const given = call.arguments;
  if (!isShallow(given)) return undefined;
  const index = toIndex(entry.index);
  return {
    index,
    slot: index ?? position,
    id: typeof entry.id === 'number' ? String(entry.id) : textIn(entry.id),
    name: textIn(call.name),
    arguments:
      given === undefined || given === null ? '' : typeof given === 'string' ? given : JSON.stringify(given),
  };
}

function toIndex(value: unknown): number | undefined {
  const index = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof index === 'number' && Number.isSafeInteger(index) && index >= 0 ? index : undefined;
}

/** Without other clues a name after arguments starts a new call, unless the name is just repeated. */
function startsNewCall(piece: Piece, draft: Draft): boolean {
  if (piece.name === '' || draft.arguments === '') return false;
  if (piece.name !== draft.name) return true;
  if (piece.arguments === '' || draft.completenessChecks >= MAX_COMPLETENESS_CHECKS) return false;
  draft.completenessChecks++;
  return parseJson(draft.arguments) !== undefined;
}

/** Names arrive in one piece, in several, or repeated in every delta. */
function joinName(before: string, piece: string, toolNames: readonly string[]): string {
  const both = before + piece;
  const isRepeated = piece.startsWith(before) && !toolNames.some((name) => name.startsWith(both));
  return isRepeated ? piece : both;
}

/** Fields that are streamed in fragments; for other fields the last value wins. */
const FRAGMENTED = /reason|think|thought/i;

/**
 * Collects unknown fields of a message or tool call, which are sent back to the provider unchanged: signatures, reasoning
 * details, annotations. Field names are untrusted data, including `__proto__`.
 */
export function createExtraFields(known: ReadonlySet<string>) {
  const fields = new Map<string, unknown>();
  return {
    /** Adds the unknown fields of one delta and returns their length in characters. */
    add(delta: JsonRecord): number {
      let length = 0;
      for (const name in delta) {
        const value = delta[name];
        if (known.has(name) || isEmpty(value) || !isShallow(value)) continue;
        fields.set(name, FRAGMENTED.test(name) ? join(fields.get(name), value) : value);
        length += typeof value === 'string' ? value.length : JSON.stringify(value).length;
      }
      return length;
    },
    toRecord: (): JsonRecord | undefined => (fields.size === 0 ? undefined : Object.fromEntries(fields)),
  };
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function join(before: unknown, value: unknown): unknown {
  if (typeof before === 'string' && typeof value === 'string') return before + value;
  if (!Array.isArray(value)) return value;
  const list: unknown[] = Array.isArray(before) ? before : [];
  for (const part of value) list.push(part);
  return list;
}
