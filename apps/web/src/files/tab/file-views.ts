/** Available views of a file; the first is the default. */
import type { FileContent } from '@crewagent/protocol/api/files';
import { kindOf } from '../file-kinds.ts';

export const FILE_VIEWS = ['read', 'both', 'write', 'table', 'picture', 'page', 'facts'] as const;
export type FileView = (typeof FILE_VIEWS)[number];

/** The largest size the server sends at once. */
export const MAX_BYTES = 32 * 1_048_576;
/** A longer page is slow to lay out, so its preview is not the default. */
const MAX_PAGE_BYTES = 1_048_576;

export function viewsOf(name: string, content: FileContent | undefined): readonly FileView[] {
  const kind = kindOf(name);
  if (content?.isTooLarge || content?.kind === 'binary')
    return [(kind === 'image' || kind === 'drawing') && content.bytes <= MAX_BYTES ? 'picture' : 'facts'];
  switch (kind) {
    case 'markdown':
      return ['read', 'both', 'write'];
    case 'table':
      return ['table', 'write'];
    case 'drawing':
      return ['picture', 'write'];
    case 'page':
      return (content?.bytes ?? 0) > MAX_PAGE_BYTES ? ['write', 'page'] : ['page', 'write'];
    case 'image':
    case 'text':
      return ['write'];
  }
}
