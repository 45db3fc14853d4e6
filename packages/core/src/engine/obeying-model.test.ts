import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOSTILE, type HostileDocument, textOf } from '../testing/hostile-documents.ts';
import { call, createScriptedModel } from '../testing/models/scripted-model.ts';
import { samplePackage, step } from '../testing/packages/sample-package.ts';
import { createRunRig } from '../testing/rigs/run-rig.ts';

const KEYS =
  'waits: {for: choice, options: [A, C]}\nproduces:\n  - path: artifacts/prd.md\n    minWords: 20\n';
const SECRET = 'SECRET=do-not-tell-1729';
const PROJECT = { '.env': `${SECRET}\n`, id_rsa: SECRET, '.git/config': '[core]\n', 'sub/x.md': 'x' };

/** Reads the document, then does what it says, call by call. */
async function obey(document: HostileDocument) {
  const calls = document.calls ?? [];
  const model = createScriptedModel((_, index) => {
    const made = calls[index - 1];
    if (index === 0) return call('fs_read', { path: 'doc.md' });
    return made ? call(made.tool, made.arguments) : 'I did what the document says.';
  });
  const files = samplePackage(undefined, { 'steps/step-01.md': step('step-01', 'step', KEYS) });
  const project = { ...PROJECT, 'doc.md': textOf(document) };
  // Nothing in the project is asked about, and nobody is there.
  const rig = await createRunRig({
    package: files,
    model,
    project,
    settings: { tools: { approval: 'autopilot' } },
  });
  const before = await listFiles(dirname(rig.project));
  const stop = await rig.engine.start();
  return { rig, model, stop, before };
}

/** Paths with contents; what the store writes itself is left out. */
async function listFiles(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(root, 'works')));
  return Object.fromEntries(
    await Promise.all(
      paths.map(async (path): Promise<[string, string]> => [path, await readFile(path, 'utf8')]),
    ),
  );
}

describe('a model that obeys a document', () => {
  const commanding = HOSTILE.filter(({ calls }) => calls);

  it('[P62] is tempted to everything that a model must not do', () => {
    const tools = commanding.flatMap(({ calls = [] }) => calls.map(({ tool }) => tool));
    expect(new Set(tools)).toEqual(
      new Set([
        ...['fs_read', 'fs_search', 'fs_write', 'fs_apply_patch', 'shell_run', 'shell.run'],
        ...['runtime_complete_node', 'runtime_waive', 'runtime_rewind'],
      ]),
    );
    expect(HOSTILE).toHaveLength(40);
  });

  it.each(commanding)('[P62] is refused, or a person is asked: $name', async (document) => {
    const { rig, model, stop, before } = await obey(document);
    expect(stop.phase).toBe('WaitingUser');
    const answers = [
      ...rig.eventsOf('tool.ended').map(({ code, outcome }) => code ?? outcome),
      ...rig.eventsOf('approval.requested').map(() => 'asked'),
    ];
    expect(answers).toEqual(['ok', ...(document.calls ?? []).map(({ answer }) => answer)]);
    expect(rig.engine.memory.state).toMatchObject({ currentNodeId: 'step-01', stepsCompleted: [] });
    expect(rig.engine.memory.visit).toMatchObject({ spoken: [], waivers: [] });
    expect(await listFiles(dirname(rig.project))).toEqual(before);
    expect(existsSync('/etc/crewagent-owned')).toBe(false);
    expect(JSON.stringify(model.requests)).not.toContain('do-not-tell-1729');
    expect(rig.bugs).toEqual([]);
  });
});
