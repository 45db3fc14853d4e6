/**
 * The files of a project: looked at, saved, moved, removed, undone, watched.
 */
import { basename } from 'node:path/posix';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import { mount, mountRaw, type Router } from '../mount.ts';
import { FILE_SECURITY_POLICY } from '../security-headers.ts';
import type { ServerParts } from '../server-parts.ts';

export function mountFiles(router: Router, { heldFiles }: ServerParts): void {
  const { files } = ENDPOINTS;
  const of = ({ projectId }: { readonly projectId: string }) => heldFiles.of(projectId);

  mount(router, files.list, async ({ params, query: { path, hidden } }) =>
    (await of(params)).list(path, { includeHidden: hidden }),
  );
  mount(router, files.read, async ({ params, query }) => (await of(params)).read(query.path));
  mountRaw(router, files.download, async ({ params, query }) => {
    const { bytes, mime } = await (await of(params)).readBytes(query.path);
    return new Response(new Uint8Array(bytes), {
      headers: {
        'content-type': mime,
        // A page out of a project must not run in ours.
        'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(basename(query.path))}`,
        'content-security-policy': FILE_SECURITY_POLICY,
      },
    });
  });
  mount(router, files.save, async ({ params, body }) => {
    const desk = await of(params);
    if (!('base64' in body)) return desk.save(body);
    const { base64, ...rest } = body;
    return desk.save({ ...rest, bytes: Buffer.from(base64, 'base64') });
  });
  mount(router, files.createFile, async ({ params, body }) =>
    (await of(params)).createFile(body.path, body.text),
  );
  mount(router, files.createFolder, async ({ params, body }) => ({
    change: await (await of(params)).createFolder(body.path),
  }));
  mount(router, files.move, async ({ params, body }) => ({
    change: await (await of(params)).move(body.from, body.to),
  }));
  mount(router, files.remove, async ({ params, body }) => ({
    change: await (await of(params)).remove(body.path, { isFinal: body.isFinal }),
  }));
  mount(router, files.find, async ({ params, query: { text, limit }, signal }) =>
    (await of(params)).find(text, { limit, signal }),
  );
  mount(router, files.reveal, async ({ params, body }) => {
    await (await of(params)).reveal(body.path);
    return undefined;
  });
  mount(router, files.changes, async ({ params }) => ({ changes: await (await of(params)).changes() }));
  for (const direction of ['undo', 'redo'] as const) {
    mount(router, files[direction], async ({ params, body }) => ({
      change: await (await of(params))[direction](body.id),
    }));
  }
}
