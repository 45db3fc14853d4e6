/**
 * Tool calls from their deltas. By the protocol a delta names its call by `index`, and only the first one brings id and
 * name; what providers really send leaves out, repeats or confuses each of these. Pure.
 */
import { isJson, isRecord, isShallow, type JsonRecord, textIn } from '../foreign-json.ts';
import type { ReplyToolCall } from '../llm-adapter.ts';
import { createExtraFields, type ExtraFields } from './extra-fields.ts';

export interface ToolCallAssembler {
  /** Takes the `tool_calls` of one delta. In a whole message each entry is a call of its own. */
  take(entries: unknown, isWhole: boolean): void;
  /** Something came that can be neither run nor answered. */
  readonly isBroken: boolean;
  /** How many characters came so far. */
  readonly length: number;
  toCalls(isCutByLength: boolean): ReplyToolCall[];
}

interface Piece {
  /** As given; undefined where it is missing or nonsense. */
  readonly index: number | undefined;
  /** The index, or else the place among the entries of the delta. */
  readonly slot: number;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

interface Draft {
  id: string;
  name: string;
  arguments: string;
  readonly kept: ExtraFields;
  lastDelta: number;
  completenessChecks: number;
}

const KNOWN: ReadonlySet<string> = new Set(['index', 'id', 'type', 'function', 'name', 'arguments']);
/** Looking whether arguments are complete reads all of them; deltas that provoke it are not allowed to for ever. */
const MAX_COMPLETENESS_CHECKS = 4;

export function createToolCallAssembler(toolNames: readonly string[]): ToolCallAssembler {
  const drafts: Draft[] = [];
  const draftBySlot = new Map<number, Draft>();
  const draftById = new Map<string, Draft>();
  let delta = 0;
  let isBroken = false;
  let length = 0;

  function take(entries: unknown, isWhole: boolean): void {
    delta++;
    const list: unknown[] = Array.isArray(entries) ? entries : [entries];
    for (const [place, entry] of list.entries()) {
      if (!isRecord(entry)) continue;
      const piece = toPiece(entry, place);
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
      if (piece.name !== '') draft.name = joinedName(draft.name, piece.name, toolNames);
      draft.arguments += piece.arguments;
      length += piece.arguments.length + piece.name.length + draft.kept.take(entry);
    }
  }

  /** The call that a piece goes on with; undefined when it opens another. */
  function draftOf(piece: Piece): Draft | undefined {
    const inSlot = draftBySlot.get(piece.slot);
    const sameId = piece.id === '' ? undefined : draftById.get(piece.id);
    if (piece.index === undefined && sameId !== undefined) {
      return sameId.lastDelta !== delta && !opensAnother(piece, sameId) ? sameId : undefined;
    }
    if (inSlot === undefined) {
      // A new index with neither name nor a new id is a wrong index.
      if (piece.name !== '') return undefined;
      return piece.id === '' ? drafts.at(-1) : sameId;
    }
    const isOtherId = piece.id !== '' && inSlot.id !== '' && piece.id !== inSlot.id;
    if (isOtherId) return sameId;
    return opensAnother(piece, inSlot) ? undefined : inSlot;
  }

  function newDraft(): Draft {
    const draft: Draft = {
      id: '',
      name: '',
      arguments: '',
      kept: createExtraFields(KNOWN),
      lastDelta: delta,
      completenessChecks: 0,
    };
    drafts.push(draft);
    return draft;
  }

  return {
    take,
    get isBroken() {
      return isBroken;
    },
    get length() {
      return length;
    },
    toCalls(isCutByLength) {
      const calls = drafts.filter((draft) => draft.name !== '' || draft.arguments !== '');
      return calls.map((draft, place) => ({
        id: draft.id,
        name: draft.name,
        arguments: draft.arguments,
        isCutOff: isCutByLength && place === calls.length - 1 && !isJson(draft.arguments),
        extra: draft.kept.toRecord(),
      }));
    },
  };
}

/** Undefined for arguments that cannot be written down as text. */
function toPiece(entry: JsonRecord, place: number): Piece | undefined {
  const call = isRecord(entry.function) ? entry.function : entry;
  const given = call.arguments;
  if (!isShallow(given)) return undefined;
  const index = toIndex(entry.index);
  return {
    index,
    slot: index ?? place,
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

/** Where nothing else tells calls apart: a name after arguments means another call, unless names are just repeated. */
function opensAnother(piece: Piece, draft: Draft): boolean {
  if (piece.name === '' || draft.arguments === '') return false;
  if (piece.name !== draft.name) return true;
  if (piece.arguments === '' || draft.completenessChecks >= MAX_COMPLETENESS_CHECKS) return false;
  draft.completenessChecks++;
  return isJson(draft.arguments);
}

/** Names come in one piece, in several, or whole with every delta. */
function joinedName(before: string, piece: string, toolNames: readonly string[]): string {
  const both = before + piece;
  const isRepeated = piece.startsWith(before) && !toolNames.some((name) => name.startsWith(both));
  return isRepeated ? piece : both;
}
