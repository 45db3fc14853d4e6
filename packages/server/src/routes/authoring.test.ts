import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuthorEdit, AuthorModel } from '@crewagent/protocol/author';
import { describe, expect, it } from 'vitest';
import { readTree, writeTree } from '../../../core/src/testing/file-tree.ts';
import { createServerRig } from '../testing/server-rig.ts';

const GRAPH = 'workflow.graph.json';

async function openNew() {
  const rig = await createServerRig();
  const path = join(rig.root, 'my-package');
  const opened = await rig.client.authoring.create({ body: { path, name: 'My package' } });
  const { folderId } = opened;
  let model: AuthorModel = opened.model;
  return {
    ...{ rig, path, folderId, opened },
    get model() {
      return model;
    },
    async edit(edit: AuthorEdit) {
      const seen = Object.fromEntries(model.files.map((file) => [file.path, file.sha256]));
      model = await rig.client.authoring.edit({ folderId, body: { edit, seen } });
      return model;
    },
    text: (file: string) => readFile(join(path, file), 'utf8'),
  };
}

describe('a package folder that is edited', () => {
  it('is created, edited, undone and redone on disk, rehearsed and tested', async () => {
    const author = await openNew();
    const { rig, path, folderId } = author;
    expect(author.opened).toMatchObject({
      path,
      model: { name: 'My package', canUndo: false, findings: [] },
    });
    const before = await readTree(path);
    const at = { graph: GRAPH, nodeId: 'step-01-ask' };
    await author.edit({
      kind: 'addNode',
      graph: GRAPH,
      id: 'check',
      type: 'decision',
      title: 'Check',
      after: { nodeId: at.nodeId, label: 'check' },
    });
    await author.edit({ kind: 'connect', graph: GRAPH, from: 'check', to: at.nodeId, label: 'again' });
    const model = await author.edit({
      kind: 'connect',
      graph: GRAPH,
      from: 'check',
      to: 'end-02-write',
      label: 'done',
    });
    expect(model.findings.map(({ code }) => code)).toEqual(['DECISION_WITHOUT_DEFAULT']);
    await author.edit({ kind: 'setEdge', graph: GRAPH, edge: 3, fields: { isDefault: true } });
    expect(author.model).toMatchObject({ findings: [], canUndo: true, canRedo: false });
    expect(await author.text('steps/check.md')).toBe(
      '---\nschemaVersion: "1.1"\nnodeId: check\ntype: decision\n---\n\n# Check\n',
    );
    expect(await author.text('steps/step-01-ask.md')).toContain('label: check');
    expect(await rig.client.authoring.rehearse({ folderId })).toMatchObject({
      ok: true,
      workflows: [{ nodes: { covered: 3, total: 3 }, edges: { covered: 4, total: 4 } }],
    });
    await expect(rig.client.authoring.test({ folderId })).rejects.toMatchObject({ code: 'USAGE' });
    await writeTree(path, { 'tests/whole-way.yaml': 'model: rehearsal\n' });
    expect(await rig.client.authoring.test({ folderId })).toMatchObject({ ok: true, tests: [{ ok: true }] });
    await rm(join(path, 'tests'), { recursive: true });

    const after = await readTree(path);
    for (let edits = 4; edits > 0; edits--) await rig.client.authoring.undo({ folderId });
    expect(await readTree(path)).toEqual(before);
    await expect(rig.client.authoring.undo({ folderId })).rejects.toMatchObject({ code: 'USAGE' });
    for (let edits = 4; edits > 0; edits--) await rig.client.authoring.redo({ folderId });
    expect(await readTree(path)).toEqual(after);
  });

  it('is not overwritten where it changed outside, and says what changed', async () => {
    const author = await openNew();
    const { rig, path, folderId } = author;
    const file = 'steps/step-01-ask.md';
    const set = (title: string) =>
      author.edit({ kind: 'setNode', graph: GRAPH, nodeId: 'step-01-ask', fields: { title } });
    await set('One');
    const outside = `${await author.text(GRAPH)}\n`;
    await writeFile(join(path, GRAPH), outside);
    await expect(set('Two')).rejects.toMatchObject({
      code: 'FILE_CONFLICT',
      status: 412,
      details: { path: GRAPH },
    });
    await expect(rig.client.authoring.undo({ folderId })).rejects.toMatchObject({ code: 'FILE_CONFLICT' });
    expect(await author.text(GRAPH)).toBe(outside);
    // Another file is not affected.
    const { text } = await rig.client.authoring.read({ folderId, query: { path: file } });
    await author.edit({ kind: 'setText', file, text: `${text}More.\n` });
    expect(await author.text(file)).toBe(`${text}More.\n`);
    await set('Three');
    expect(await author.text(GRAPH)).toBe(outside.replace('"One"', '"Three"'));
    await rm(join(path, GRAPH));
    await expect(set('Four')).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('shows what a model would be sent with texts that are not saved, and writes none of them', async () => {
    const { rig, path, folderId } = await openNew();
    const before = await readTree(path);
    const file = 'steps/step-01-ask.md';
    const { text } = await rig.client.authoring.read({ folderId, query: { path: file } });
    const show = (unsaved: Record<string, string>, variables = {}) =>
      rig.client.authoring.prompt({ folderId, body: { nodeId: 'step-01-ask', unsaved, variables } });
    const anchorOf = ({ parts }: Awaited<ReturnType<typeof show>>): string =>
      parts.find(({ layer }) => layer === 'anchor')?.text ?? '';
    expect(anchorOf(await show({}))).not.toContain('Be kind.');
    const typed = await show({ [file]: `${text}\nBe kind.\n` }, { topic: 'Larders' });
    expect(anchorOf(typed)).toContain('Be kind.');
    expect(anchorOf(typed)).toContain('Larders');
    const broken: Record<string, string>[] = [
      { [file]: '---\nnodeId: [' },
      { '../outside.md': 'x' },
      { 'bmad.json': '{' },
    ];
    for (const unsaved of broken)
      await expect(show(unsaved)).rejects.toMatchObject({ code: 'PACKAGE_INVALID' });
    expect(await readTree(path)).toEqual(before);
  });

  it('may be a method: shown as the graph that it stands for, changed as text only', async () => {
    const rig = await createServerRig();
    const path = join(rig.root, 'letter');
    const text =
      '---\nname: letter\n---\n\n## Ask\n\nAsk whom to thank.\n\nWaits.\n\n## Write\n\nWrite it.\n';
    await writeTree(path, { 'method.md': text });
    const { folderId, model } = await rig.client.authoring.open({ body: { path } });
    expect(model).toMatchObject({ isMethod: true, name: 'letter', findings: [] });
    expect(model.workflows[0]?.nodes.map(({ id }) => id)).toEqual(['ask', 'write']);
    expect(model.files.map((one) => one.path)).toEqual(['method.md']);
    const seen = Object.fromEntries(model.files.map((one) => [one.path, one.sha256]));
    const edit = (change: AuthorEdit) =>
      rig.client.authoring.edit({ folderId, body: { edit: change, seen } });
    const fields = { title: 'Other' };
    await expect(edit({ kind: 'setNode', graph: GRAPH, nodeId: 'ask', fields })).rejects.toMatchObject({
      code: 'USAGE',
    });
    const shown = await rig.client.authoring.prompt({
      folderId,
      body: { nodeId: 'write', unsaved: { 'method.md': `${text}Be kind.\n` }, variables: {} },
    });
    expect(shown.parts.find(({ layer }) => layer === 'anchor')?.text).toContain('Be kind.');
    const changed = await edit({ kind: 'setText', file: 'method.md', text: `${text}\n## End\n\nSay so.\n` });
    expect(changed.workflows[0]?.nodes).toHaveLength(3);
    expect(changed.canUndo).toBe(true);
  });

  it('reports changes from outside', async () => {
    const { rig, path, folderId } = await openNew();
    const seen: string[] = [];
    const stop = new AbortController();
    for await (const { data } of rig.client.authoring.events({ folderId }, { signal: stop.signal })) {
      seen.push(data.type);
      if (data.type === 'watching' && data.isWatching) await writeFile(join(path, 'agents.json'), '{}');
      if (data.type === 'changes') break;
    }
    stop.abort();
    expect(seen.at(-1)).toBe('changes');
    const shown = await rig.client.authoring.show({ folderId });
    expect(shown.agents).toEqual([]);
    expect(shown.findings.some(({ file }) => file === 'agents.json')).toBe(true);
  });

  it('is a folder that a person opened, outside of the store, without links', async () => {
    const { rig, path, folderId } = await openNew();
    const { client } = rig;
    const store = join(rig.root, 'store');
    await expect(client.authoring.open({ body: { path: store } })).rejects.toMatchObject({ code: 'USAGE' });
    await expect(
      client.authoring.create({ body: { path: join(store, 'x'), name: 'x' } }),
    ).rejects.toMatchObject({ code: 'USAGE' });
    await expect(client.authoring.open({ body: { path: join(path, 'no') } })).rejects.toMatchObject({
      code: 'FOLDER_NOT_FOUND',
    });
    await expect(client.authoring.create({ body: { path, name: 'x' } })).rejects.toMatchObject({
      code: 'TARGET_EXISTS',
    });
    await expect(
      client.authoring.show({ folderId: '00000000-0000-0000-0000-000000000000' }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    for (const outside of ['../store/settings.json', '/etc/passwd', 'steps/../../x'])
      await expect(client.authoring.read({ folderId, query: { path: outside } })).rejects.toMatchObject({
        code: 'FILE_NOT_FOUND',
      });
    await symlink('/etc/hosts', join(path, 'assets.md'));
    const { model } = await client.authoring.open({ body: { path } });
    expect(model).toMatchObject({ files: [], workflows: [], findings: [{ code: 'ENTRY_IS_LINK' }] });
  });
});
