/**
 * EARLIER_IN_THIS_NODE: what remains of earlier messages of a node, one line each.
 */
import type { OutlineLine, OutlinePart } from '../llm/user-parts.ts';
import { type ToolGroup, writtenPath } from './tool-groups.ts';

/** `path`: the file with the full text, if there is one. */
export function toOutlinePart(lines: readonly OutlineLine[], path?: string): OutlinePart {
  const header =
    path === undefined
      ? []
      : [`- shortened; the full text is in ${path}. Read files again if you need them.`];
  const text = ['EARLIER_IN_THIS_NODE', ...header, ...lines.map((line) => line.text)].join('\n');
  return { kind: 'outline', text, lines, path };
}

/** Words that stay whole, as JSON on one line. */
export function toSaidLine(by: string, words: string): OutlineLine {
  return { text: `- ${by}: ${JSON.stringify(words)}`, said: { by, words } };
}

export function toCallLine(call: ToolGroup['calls'][number], text: string): OutlineLine {
  const wrote = writtenPath(call);
  return { text, wrote };
}
