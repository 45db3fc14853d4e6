/**
 * The files of a project: list, read, save, move, remove, undo, watch.
 */
import { basename } from 'node:path/posix';
import { CrewError, type ProjectFiles, readSampleDocuments } from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import { mount, mountRaw, type Router } from '../mount.ts';
import { FILE_SECURITY_POLICY } from '../security/security-headers.ts';
import type { ServerParts } from '../server-parts.ts';
import { toAttachment } from './saved-files.ts';

export function mountFiles(router: Router, { heldFiles, runtime: { store } }: ServerParts): void {
  const { files } = ENDPOINTS;
  const filesOf = ({ projectId }: { readonly projectId: string }) => heldFiles.of(projectId);
  const change = <T>(
    { projectId }: { readonly projectId: string },
    work: (files: ProjectFiles) => Promise<T>,
  ) => heldFiles.change(projectId, work);

  mount(router, files.list, async ({ params, query: { path, hidden } }) =>
    (await filesOf(params)).list(path, { includeHidden: hidden }),
  );
  mount(router, files.read, async ({ params, query }) => (await filesOf(params)).read(query.path));
  mountRaw(router, files.download, async ({ params, query }) => {
    const { bytes, mime } = await (await filesOf(params)).readBytes(query.path);
    return new Response(new Uint8Array(bytes), {
      headers: {
        'content-type': mime,
        // A page from a project must not run in our origin.
        'content-disposition': toAttachment(basename(query.path)),
        'content-security-policy': FILE_SECURITY_POLICY,
      },
    });
  });
  mount(router, files.save, async ({ params, body }) =>
    change(params, (projectFiles) => {
      if (!('base64' in body)) return projectFiles.save(body);
      const { base64, ...rest } = body;
      return projectFiles.save({ ...rest, bytes: Buffer.from(base64, 'base64') });
    }),
  );
  mount(router, files.createFile, ({ params, body }) =>
    change(params, (projectFiles) => projectFiles.createFile(body.path, body.text)),
  );
  mount(router, files.addSamples, async ({ params, body: { packageHash } }) => {
    const documents = await readSampleDocuments(packageHash, store);
    return change(params, async (projectFiles) => {
      const paths: string[] = [];
      for (const { path, bytes } of documents) {
        try {
          paths.push(
            (await projectFiles.save({ path: `@project/${path}`, bytes, ifMatchSha256: null })).path,
          );
        } catch (error) {
          if (!(error instanceof CrewError) || error.code !== 'FILE_EXISTS') throw error;
        }
      }
      return { paths };
    });
  });
  mount(router, files.attach, async ({ params, query: { name }, body }) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return change(params, (projectFiles) => projectFiles.attach(name, Buffer.concat(chunks)));
  });
  mount(router, files.createFolder, async ({ params, body }) => ({
    change: await change(params, (projectFiles) => projectFiles.createFolder(body.path)),
  }));
  mount(router, files.move, async ({ params, body }) => ({
    change: await change(params, (projectFiles) => projectFiles.move(body.from, body.to)),
  }));
  mount(router, files.remove, async ({ params, body }) => ({
    change: await change(params, (projectFiles) => projectFiles.remove(body.path, { isFinal: body.isFinal })),
  }));
  mount(router, files.find, async ({ params, query: { text, limit }, signal }) =>
    (await filesOf(params)).find(text, { limit, signal }),
  );
  mount(router, files.reveal, async ({ params, body }) => (await filesOf(params)).reveal(body.path));
  mount(router, files.changes, async ({ params }) => ({ changes: await (await filesOf(params)).changes() }));
  for (const direction of ['undo', 'redo'] as const) {
    mount(router, files[direction], async ({ params, body }) => ({
      change: await change(params, (projectFiles) => projectFiles[direction](body.id)),
    }));
  }
}
