/** The ways a file can be looked at, the first being the one it is shown in when nobody chose. */
import type { FileContent } from '@crewagent/protocol/api/files';
import { kindOf } from './file-kinds.ts';

export type FileView = 'read' | 'both' | 'write' | 'table' | 'picture' | 'page' | 'facts';

/** The largest that the server hands out at once. */
export const MOST_BYTES = 32 * 1_048_576;

export function viewsOf(name: string, content: FileContent | undefined): readonly FileView[] {
  const kind = kindOf(name);
  if (content?.isTooLarge || content?.kind === 'binary')
    return [(kind === 'image' || kind === 'drawing') && content.bytes <= MOST_BYTES ? 'picture' : 'facts'];
  switch (kind) {
    case 'markdown':
      return ['read', 'both', 'write'];
    case 'table':
      return ['table', 'write'];
    case 'drawing':
      return ['picture', 'write'];
    case 'page':
      return ['page', 'write'];
    case 'image':
    case 'text':
      return ['write'];
  }
}
