import { ApiError } from '@crewagent/protocol/api/client';
import { describe, expect, it } from 'vitest';
import { packFolder } from './read-folder.ts';

describe('a folder to upload', () => {
  it('[U84] is an uncompressed zip without version control and dependencies', async () => {
    const file = (text: string) => new Blob([text]);
    const zip = await packFolder('bees', [
      { path: 'SKILL.md', file: file('# Bees\n') },
      { path: 'references/蜂.md', file: file('x') },
      { path: '.git/config', file: file('x') },
      { path: 'web/node_modules/a/SKILL.md', file: file('x') },
    ]);
    const bytes = new Uint8Array(await zip.arrayBuffer());
    const text = new TextDecoder().decode(bytes);
    expect(zip.name).toBe('bees.zip');
    expect(text.split('PK\u0003\u0004')).toHaveLength(3);
    expect(text).toContain('references/蜂.md');
    expect(text).not.toContain('node_modules');
    const crc = new DataView(bytes.buffer).getUint32(14, true);
    expect(crc.toString(16)).toBe('e0853fb1');
  });

  it('[U84] that is far too large is rejected before it is read', async () => {
    const huge = { size: 61 * 1024 * 1024 } as Blob;
    await expect(packFolder('huge', [{ path: 'a', file: huge }])).rejects.toBeInstanceOf(ApiError);
  });
});
