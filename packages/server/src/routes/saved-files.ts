/** Names of the files that a browser saves. */
import type { WorkStory } from '@crewagent/protocol/story/work-story';

/** A name for the file of a Work, for people: what was run, and the day. */
export function toFileTitle({ own, runs }: WorkStory): string {
  const [first] = runs.values();
  const title = (own.workflow ?? first?.workflow)?.title ?? 'Conversation';
  // Without what a file system does not allow.
  const plain = title.replace(/[\\/:*?"<>|\p{C}]+/gu, ' ').trim();
  return [plain.slice(0, 80) || 'Run', own.createdAt?.slice(0, 10)].filter(Boolean).join(' ');
}

/** The header of a file that is saved, with its name in any script, and in ASCII for old programs. */
export function toAttachment(name: string): string {
  return `attachment; filename="${name.replace(/[^\w. -]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(name)}`;
}
