/**
 * The replies of a careful model in create-story-micro, turn by turn: it asks, because there is no sprint status; it reads what did
 * not come with the node before it writes; once it tries a forbidden write.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import turns from '../fixtures/ideal-trace.json' with { type: 'json' };
import { type ProviderReply, type ScriptedCall, textReply, toolCallReply } from './provider-replies.ts';

const examples = fileURLToPath(new URL('../../../../../examples', import.meta.url));

export const IDEAL_PACKAGE = `${examples}/create-story-micro`;
/** The demo project without its sprint status. */
export const IDEAL_PROJECT: Readonly<Record<string, string>> = Object.fromEntries(
  ['architecture.md', 'epics.md', 'prd.md', 'project-context.md', 'ux.md'].map((name) => [
    `docs/${name}`,
    readFileSync(`${examples}/demo-project/docs/${name}`, 'utf8'),
  ]),
);

export const STORY_KEY = '1-2-invite-by-code';
export const IDEAL_CLOSING = 'The story file is written; one question is open.';

/** One reply for each turn, the last one text only. */
export function idealReplies(): ProviderReply[] {
  const calls = turns as readonly (readonly ScriptedCall[])[];
  return [...calls.map((turn) => toolCallReply(turn, { pieceLength: 7 })), textReply(IDEAL_CLOSING)];
}
