/**
 * Shortens a user message that is too long. Keeps beginning and end: a message begins with an anchor and ends with the
 * latest input. Earlier messages are shortened first.
 */
import type { UserPart } from '../llm/user-parts.ts';
import type { UserMessage } from '../llm/wire.ts';
import { toThreadPart } from './earlier-thread.ts';
import { partsOf, SEPARATOR, toUserMessage } from './user-text.ts';

export function shortenMessage(message: UserMessage, chars: number): UserMessage {
  if (message.content.length <= chars) return message;
  const shorter = toUserMessage(
    partsOf(message).map((part) =>
      part.kind === 'thread' ? toThreadPart(part.lines, part.isShortened, chars / 4) : part,
    ),
  );
  return shorter.content.length <= chars ? shorter : omitMiddle(shorter, chars);
}

/** The parts at both ends stay; those between them become one part with a gap. */
function omitMiddle(message: UserMessage, chars: number): UserMessage {
  const { content } = message;
  const left = content.length - chars;
  const gapStart = Math.ceil(chars * 0.7);
  const gapEnd = gapStart + left;
  let end = -SEPARATOR.length;
  const placed = partsOf(message).map((part) => {
    const start = end + SEPARATOR.length;
    end = start + part.text.length;
    return { part, start, end };
  });
  const before = placed.filter((one) => one.end + SEPARATOR.length <= gapStart);
  const after = placed.filter(({ start }) => start - SEPARATOR.length >= gapEnd);
  const cut = placed.slice(before.length, placed.length - after.length);
  const [first, last] = [cut[0], cut.at(-1)];
  if (!first || !last) return message;
  const head = content.slice(first.start, gapStart);
  const tail = content.slice(gapEnd, last.end);
  const gap = { text: `\n… (${left} characters omitted)\n`, start: head.length, end: head.length + left };
  return toUserMessage([
    ...before.map(({ part }) => part),
    cutPart(first.part, `${head}${gap.text}${tail}`, gap),
    ...after.map(({ part }) => part),
  ]);
}

interface Gap {
  readonly text: string;
  /** Offsets in the part before it was cut. */
  readonly start: number;
  readonly end: number;
}

/** The part with its new text, and with those of its facts that still hold. */
function cutPart(part: UserPart, text: string, gap: Gap): UserPart {
  switch (part.kind) {
    case 'input':
      return { ...part, text, words: text.slice(part.text.length - part.words.length) };
    case 'anchor':
      return { ...part, text, blocks: part.blocks && cutBlocks(part.blocks, text, gap) };
    case 'thread':
      return { ...part, text, lines: linesOutside(part, gap) };
    case 'outline':
      return { ...part, text, lines: linesOutside(part, gap) };
    default:
      return { ...part, text };
  }
}

function cutBlocks<Blocks extends { briefEnd: number; stepEnd?: number | undefined }>(
  blocks: Blocks,
  text: string,
  gap: Gap,
): Blocks | undefined {
  const { briefEnd, stepEnd } = blocks;
  if (briefEnd > gap.start) return undefined;
  if (stepEnd === undefined || stepEnd <= gap.start) return blocks;
  const moved = stepEnd - (gap.end - gap.start) + gap.text.length;
  return { ...blocks, stepEnd: stepEnd < gap.end ? text.length : moved };
}

/** The lines are at the end of the text. */
function linesOutside<Line extends { readonly text: string }>(
  { text, lines }: { readonly text: string; readonly lines: readonly Line[] },
  gap: Gap,
): Line[] {
  let start = text.length - lines.map((line) => line.text).join('\n').length;
  return lines.filter((line) => {
    const [from, to] = [start, start + line.text.length];
    start = to + 1;
    return to <= gap.start || from >= gap.end;
  });
}
