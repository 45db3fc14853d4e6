import { cpSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VERSION } from '@crewagent/protocol/version';
import { describe, expect, it, onTestFinished } from 'vitest';
import { importPackage } from '../bmad/import-package.ts';
import { removeInstalled } from '../bmad/installed-packages.ts';
import { isUnanswered } from '../engine/run-memory.ts';
import type { StopPoint } from '../engine/stop-point.ts';
import type { ChatRequest } from '../llm/wire.ts';
import { createRuntime, type Runtime } from '../runtime.ts';
import { readRunLog } from '../store/disk/log/run-log.ts';
import { openDiskStore } from '../store/disk/open-store.ts';
import { resolveRun } from '../store/find-works.ts';
import { toAddress } from '../store/work-address.ts';
import { driveToEnd } from '../testing/drive-to-end.ts';
import { killPoints } from '../testing/kill-points.ts';
import {
  canLosePower,
  type LossyDisk,
  type PowerLoss,
  watchDisk,
  writePowerLoss,
} from '../testing/lossy-disk.ts';
import { call, createScriptedModel, finish } from '../testing/models/scripted-model.ts';
import { branchingPackage } from '../testing/packages/branching-package.ts';
import { diskRigFor, TO_THE_END, until } from '../testing/rigs/branching-run.ts';
import { openProjectFilesRig } from '../testing/rigs/project-files-rig.ts';
import type { DiskRunRig } from '../testing/rigs/run-rig.ts';
import { createDiskSessionRig } from '../testing/rigs/session-rig.ts';
import { readTree, tempFolder, writeTree } from '../testing/temp-folder.ts';

const examples = fileURLToPath(new URL('../../../../examples', import.meta.url));

interface WatchedDisk extends LossyDisk {
  /** Failures found by `check`; throwing there would interrupt a sync. */
  readonly failures: readonly unknown[];
}

/** `check` is called after each sync and before each rename. */
const watch = async (root: string, check?: (disk: LossyDisk) => void): Promise<WatchedDisk> => {
  const failures: unknown[] = [];
  const onStep = (disk: LossyDisk): void => {
    try {
      check?.(disk);
    } catch (error) {
      failures.push(error);
    }
  };
  const disk = await watchDisk(root, { onStep });
  onTestFinished(() => disk.stop());
  return { ...disk, failures };
};
const pathsIn = (left: PowerLoss, end: string): string[] =>
  [...left.keys()].filter((path) => path.endsWith(end));
const textOf = (left: PowerLoss, end: string): string => {
  const [path, ...others] = pathsIn(left, end);
  if (path === undefined || others.length > 0)
    throw new Error(`one file ends in ${end}: ${[...left.keys()]}`);
  return left.get(path)?.toString() ?? '';
};

describe.skipIf(!canLosePower)('after a power loss', () => {
  it('[O1] a created run is complete', async () => {
    const root = await tempFolder();
    await writeTree(join(root, 'project'), { 'a.md': 'a' });
    const disk = await watch(root);
    const runtime = createRuntime({ storeRoot: join(root, 'store') });
    const run = await runtime.createWork({
      package: join(examples, 'hello-branch'),
      projectPath: join(root, 'project'),
      model: { model: 'rehearsal' },
    });
    const left = disk.losePower();
    await run.close();
    writePowerLoss(left, root);
    const again = await createRuntime({ storeRoot: join(root, 'store') }).openRun('last');
    onTestFinished(() => again.close());
    expect(again.record.workId).toBe(run.record.workId);
    expect(textOf(left, 'execution.jsonl')).toContain('run.created');
    expect(disk.earlyRenames).toEqual([]);
  });

  it('[O1] a started conversation exists, with its input', async () => {
    const rig = await createDiskSessionRig({
      package: branchingPackage(),
      model: createScriptedModel(['Hello.']),
    });
    const disk = await watch(join(rig.project, '..'));
    let left: PowerLoss = new Map();
    await rig.session.input('Good morning', { onAccepted: () => (left = disk.losePower()) });
    expect(textOf(left, 'messages.jsonl')).toContain('Good morning');
    expect(pathsIn(left, 'conversation.json')).toHaveLength(1);
  });

  it('[W6] input, answers and approvals are on disk before a model or a tool acts on them', async () => {
    const logs: string[] = [];
    const script = [
      call('ui_ask_user', { questions: [{ id: 'q', prompt: 'Which?', type: 'text' }] }),
      call('fs_write', { path: 'notes.md', content: 'x' }),
      'Written.',
      'Heard.',
      'Heard that, too.',
    ];
    const scripted = createScriptedModel(script);
    const model = {
      ...scripted,
      chat(request: ChatRequest, watching: Parameters<typeof scripted.chat>[1]) {
        logs.push(textOf(disk.losePower(), 'execution.jsonl'));
        if (logs.length === 4) void rig.engine.say('and another');
        return scripted.chat(request, watching);
      },
    };
    const rig = await diskRigFor([], { model, settings: { tools: { approval: 'ask' } } });
    const disk = await watch(join(rig.project, '..'), ({ losePower }) => {
      const now = losePower();
      if (now.has('project/notes.md')) expect(textOf(now, 'execution.jsonl')).toContain('approval.resolved');
    });
    await rig.engine.start();
    await rig.engine.answer({ q: 'the blue one' });
    expect(logs[1]).toContain('the blue one');
    await rig.engine.approve({ decision: 'once', note: 'fine with me' });
    expect(logs[2]).toContain('fine with me');
    await rig.engine.say('one more thing');
    expect(logs[3]).toContain('one more thing');
    // Sent while the model was answering the input before.
    expect(logs[4]).toContain('and another');
    expect(disk.failures).toEqual([]);
  });

  it('[W6] at any moment of a thread with input, an answer and an approval, nothing accepted is lost or asked for again', async () => {
    const conversation = createScriptedThread();
    const rig = await diskRigFor([], { model: conversation.model, settings: { tools: { approval: 'ask' } } });
    const root = join(rig.project, '..');
    const copies = await tempFolder();
    const moments: { readonly accepted: ReadonlySet<string>; restore(): void }[] = [];
    const accepted = new Set<string>();
    /** Snapshots the disk after a power loss now, and after a kill now. */
    const note = ({ losePower }: Pick<LossyDisk, 'losePower'>): void => {
      const left = losePower();
      const copy = join(copies, String(moments.length));
      cpSync(root, copy, { recursive: true });
      moments.push({ accepted: new Set(accepted), restore: () => writePowerLoss(left, root) });
      moments.push({
        accepted: new Set(accepted),
        restore() {
          writePowerLoss(new Map(), root);
          cpSync(copy, root, { recursive: true });
        },
      });
    };
    const disk = await watch(root, note);
    await driveThread(rig, accepted);
    await rig.close();
    note(disk);
    disk.stop();
    expect(disk.failures).toEqual([]);
    expect(accepted).toEqual(new Set(['answer', 'approval', 'input', 'queued input']));
    expect(moments.length).toBeGreaterThan(60);
    for (const moment of killPoints(moments.length, 60)) {
      const { accepted: before, restore } = moments[moment - 1] ?? {
        accepted: new Set(),
        restore: () => undefined,
      };
      restore();
      await createRuntime({ storeRoot: rig.store.root }).sweepInterrupted();
      const again = await rig.reopen(createScriptedThread().model);
      const askedFor = new Set(before);
      await driveThread(again, askedFor, (what) =>
        expect([moment, what, before.has(what)]).toEqual([moment, what, false]),
      );
      const said: string[] = [];
      await readRunLog(rig.paths.log, (event) => {
        if (event.type === 'message.completed' && event.purpose === 'input') said.push(event.content);
        if (event.type === 'question.answered') said.push('answer');
      });
      expect([moment, said.sort()]).toEqual([moment, ['and another', 'answer', 'one more thing']]);
      expect(await readFile(join(rig.project, 'notes.md'), 'utf8')).toBe('x');
      await again.close();
    }
  }, 600_000);

  it('[W7] a tool has reported only what is on disk: the state, the file, and its previous content', async () => {
    const answered: PowerLoss[] = [];
    const rig = await diskRigFor([
      call('fs_write', { path: 'artifacts/new/deep/k.md', content: 'new' }),
      call('fs_write', { path: 'README.md', content: 'changed' }),
      finish('step-01', 'decide-02', { mark: 'k' }),
      'Done so far.',
    ]);
    const disk = await watch(join(rig.project, '..'), ({ losePower }) => {
      const now = losePower();
      const journal = pathsIn(now, 'journal.jsonl').map((path) => String(now.get(path)));
      if (String(now.get('project/README.md')) === 'changed') expect(journal.join()).toContain('README.md');
    });
    rig.engine.subscribe(({ type }) => {
      if (type === 'tool.ended') answered.push(disk.losePower());
    });
    await rig.engine.start();
    const [first, second, third] = answered;
    if (!first || !second || !third) throw new Error('three calls were answered');
    expect(String(first.get('project/artifacts/new/deep/k.md'))).toBe('new');
    expect(textOf(first, 'state/workflow.md')).toContain('artifacts/new/deep/k.md');
    expect(String(second.get('project/README.md'))).toBe('changed');
    expect(textOf(third, 'state/workflow.md')).toContain('currentNodeId: decide-02');
    const images = [...second]
      .filter(([path]) => path.includes('/blobs/'))
      .map(([, content]) => String(content));
    expect(images).toEqual(expect.arrayContaining(['# Project\n', 'changed', 'new']));
    expect(disk.failures).toEqual([]);
    expect(disk.earlyRenames).toEqual([]);
  });

  it('[W7] changes of a run can still be undone', async () => {
    const root = await tempFolder();
    const project = join(root, 'project');
    await writeTree(project, { 'a.md': 'a' });
    const disk = await watch(root);
    const start = (): Runtime => createRuntime({ storeRoot: join(root, 'store') });
    await driveToEnd(start(), join(examples, 'hello-branch'), project);
    const left = disk.losePower();
    disk.stop();
    expect(Object.keys(await readTree(project)).length).toBeGreaterThan(1);
    writePowerLoss(left, root);
    const runtime = start();
    const changes = await runtime.openChanges(await resolveRun(runtime.store, 'last'));
    await changes.undo({ all: true });
    await changes.close();
    expect(await readTree(project)).toEqual({ 'a.md': 'a', 'artifacts/': '' });
  });

  it('[W7] undo and redo persist', async () => {
    const rig = await diskRigFor(TO_THE_END);
    await rig.engine.start();
    await rig.close();
    const root = join(rig.project, '..');
    const disk = await watch(root);
    const runtime = createRuntime({ storeRoot: rig.store.root });
    const changes = await runtime.openChanges(toAddress(rig.record));
    await changes.undo({ all: true });
    expect(pathsIn(disk.losePower(), 'artifacts/k.md')).toEqual([]);
    expect(textOf(disk.losePower(), 'execution.jsonl')).toContain('changes.undone');
    await changes.redo({ all: true });
    expect(textOf(disk.losePower(), 'artifacts/k.md')).toBe('x');
    await changes.close();
  });

  it('[W13] the stop of a run is on disk when it is reported', async () => {
    const rig = await diskRigFor(TO_THE_END);
    const disk = await watch(join(rig.project, '..'));
    await rig.engine.start();
    const left = disk.losePower();
    expect(JSON.parse(textOf(left, 'run.json'))).toMatchObject({ phase: 'Completed' });
    expect(textOf(left, 'execution.jsonl')).toMatch(/"phase":"Completed".*\n$/);
  });

  it('[W6] a command is on disk when it is reported as accepted', async () => {
    const rig = await createDiskSessionRig({ package: branchingPackage(), model: createScriptedModel([]) });
    const disk = await watch(join(rig.project, '..'));
    let left: PowerLoss = new Map();
    await rig.session.input('/help', { onAccepted: () => (left = disk.losePower()) });
    expect(textOf(left, 'messages.jsonl')).toContain('/help');
  });

  it('[W6] consent to change a completed workflow is on disk when it was given', async () => {
    const rig = await diskRigFor(TO_THE_END);
    await rig.engine.start();
    const disk = await watch(join(rig.project, '..'));
    await rig.engine.allowStateChange();
    expect(textOf(disk.losePower(), 'execution.jsonl')).toContain('consent.given');
  });

  it('[W13] a run that died is interrupted in its log if its record says so', async () => {
    const rig = await diskRigFor(['hang']);
    void rig.engine.start();
    await until(() => rig.engine.memory.turn > 0);
    const root = join(rig.project, '..');
    const { record } = rig.paths;
    const running = await readFile(record, 'utf8');
    await rig.close();
    const log = rig.paths.log;
    const lines = (await readFile(log, 'utf8')).split('\n');
    // As if the process had died in the middle of the turn.
    await writeFile(log, lines.filter((line) => !line.includes('"stopped"')).join('\n'));
    await writeFile(record, running);
    const disk = await watch(root, ({ losePower }) => {
      const now = losePower();
      if (textOf(now, 'run.json').includes('interrupted'))
        expect(textOf(now, 'execution.jsonl')).toContain('"interrupted"');
    });
    await createRuntime({ storeRoot: rig.store.root }).sweepInterrupted();
    expect(textOf(disk.losePower(), 'run.json')).toContain('interrupted');
    expect(disk.failures).toEqual([]);
  });

  it('[W13] a rewound run is rewound in its log if its record says so', async () => {
    const rig = await diskRigFor([finish('step-01', 'decide-02', { key: 'k' }), 'On we go.']);
    await rig.engine.start();
    const disk = await watch(join(rig.project, '..'), ({ losePower }) => {
      const now = losePower();
      if (textOf(now, 'run.json').includes('rewound'))
        expect(textOf(now, 'execution.jsonl')).toContain('"rewound"');
    });
    await rig.engine.rewind({ nodeId: 'step-01', wasThere: true, undo: () => Promise.resolve() });
    expect(textOf(disk.losePower(), 'run.json')).toContain('rewound');
    expect(disk.failures).toEqual([]);
  });

  it('[W7] a spilled tool result is complete if the log names it', async () => {
    const rig = await createDiskSessionRig({
      package: branchingPackage(),
      kind: 'chat',
      model: createScriptedModel([call('fs_read', { path: 'long.txt' }), 'Read.']),
      project: { 'long.txt': 'line\n'.repeat(9_000) },
    });
    const root = join(rig.project, '..');
    const disk = await watch(root, ({ losePower }) => {
      const now = losePower();
      for (const [, hash] of textOf(now, 'messages.jsonl').matchAll(/"contentHash":"(\w+)"/g))
        expect(textOf(now, `outputs/${hash}`)).toContain('line');
    });
    await rig.session.input('Read it');
    const left = disk.losePower();
    const { log, outputs } = rig.paths;
    await rig.session.close();
    writePowerLoss(left, root);
    const contents: string[] = [];
    await readRunLog(log, (event) => event.type === 'tool.ended' && contents.push(event.content), {
      outputs,
    });
    expect(contents.join('')).toContain('1:line\\n2:line');
    expect(disk.failures).toEqual([]);
  });

  it('[W6] changes of settings, keys and projects are on disk', async () => {
    const root = await tempFolder();
    await writeTree(join(root, 'project'), { 'a.md': 'a' });
    const disk = await watch(root);
    const store = openDiskStore(join(root, 'store'));
    await store.settings.update({ limits: { maxTurns: 17 } });
    expect(textOf(disk.losePower(), 'store/settings.json')).toContain('17');
    await store.secrets.write('mine', { key: 'sk-17', address: 'https://models.example' });
    expect(textOf(disk.losePower(), 'store/secrets.json')).toContain('sk-17');
    const { projectId } = await store.projects.open(join(root, 'project'), { now: () => new Date() });
    expect(textOf(disk.losePower(), 'store/projects.json')).toContain(projectId);
    expect(disk.earlyRenames).toEqual([]);
  });

  it('[W7] an installed package is complete, and a removed one is gone', async () => {
    const root = await tempFolder();
    const disk = await watch(root);
    const store = openDiskStore(join(root, 'store'));
    const context = { runtimeVersion: VERSION, knownServers: new Set<string>() };
    const { package: installed } = await importPackage(join(examples, 'hello-branch'), store, context);
    const left = disk.losePower();
    const folder = `store/packages/${installed.hash}`;
    const files = Object.entries(await readTree(join(root, folder))).filter(([path]) => !path.endsWith('/'));
    expect(files.length).toBeGreaterThan(5);
    for (const [path, content] of files)
      expect(left.get(`${folder}/${path}`)?.toString('latin1')).toBe(content);
    expect(disk.earlyRenames).toEqual([]);
    await removeInstalled(store, installed.hash);
    expect([...disk.losePower().keys()].filter((path) => path.startsWith(`${folder}/`))).toEqual([]);
  });

  it('[W6] file actions of a person are on disk, and so is the previous content', async () => {
    const { root, files } = await openProjectFilesRig({
      content: { 'a.md': 'a', 'd/b.md': 'b', 'd/e/c.md': 'c' },
    });
    await symlink('a.md', join(root, 'project/link'));
    const disk = await watch(root);
    const left = (path: string): string | undefined => disk.losePower().get(`project/${path}`)?.toString();
    await files.createFile('@project/n/new.md', 'new');
    expect(left('n/new.md')).toBe('new');
    await files.createFolder('@project/folder');
    expect(disk.losePower().has('project/folder/')).toBe(true);
    const other = await files.createFolder('@project/other');
    await files.undo(other.id);
    expect(disk.losePower().has('project/other/')).toBe(false);
    await files.move('@project/a.md', '@project/folder/a.md');
    expect([left('a.md'), left('folder/a.md')]).toEqual([undefined, 'a']);
    const { id } = await files.remove('@project/d');
    expect(left('d/b.md')).toBeUndefined();
    expect([...disk.losePower().keys()].filter((path) => path.includes('.removing-'))).toEqual([]);
    expect(pathsIn(disk.losePower(), '.step.json')).toEqual([]);
    await files.undo(id);
    expect([left('d/b.md'), left('d/e/c.md')]).toEqual(['b', 'c']);
    // A restored step would be decided by the files of that time.
    await expect(files.move('@project/n/new.md', '@project/folder/a.md')).rejects.toThrow();
    expect(pathsIn(disk.losePower(), '.step.json')).toEqual([]);
  });

  it('[W13] at any moment of a run, the next start comes to the same end', async () => {
    const root = await tempFolder();
    const project = join(root, 'project');
    cpSync(join(examples, 'demo-project'), project, { recursive: true });
    const start = (): Runtime => createRuntime({ storeRoot: join(root, 'store') });
    const drive = () => driveToEnd(start(), join(examples, 'create-story-micro'), project);
    const moments: PowerLoss[] = [];
    const disk = await watch(root, ({ losePower }) => moments.push(losePower()));
    const whole = { ...(await drive()), files: await readTree(project) };
    expect(whole.stop).toEqual({ phase: 'Completed' });
    expect(disk.earlyRenames).toEqual([]);
    disk.stop();
    expect(moments.length).toBeGreaterThan(100);
    for (const moment of killPoints(moments.length, 10)) {
      writePowerLoss(moments[moment - 1] ?? new Map(), root);
      const ending = { ...(await drive()), files: withoutTemps(await readTree(project)) };
      expect({ moment, ...comparable(ending) }).toEqual({ moment, ...comparable(whole) });
    }
  }, 600_000);
});

/** Asks a question, writes a file with approval, and answers; reads its progress from the messages. */
function createScriptedThread() {
  const script = ({ messages }: ChatRequest) => {
    const said = JSON.stringify(messages);
    if (!said.includes('the blue one'))
      return call('ui_ask_user', { questions: [{ id: 'q', prompt: 'Which?', type: 'text' }] });
    const isWritten = messages.some(
      ({ role, content }) => role === 'tool' && /"bytes|"created|sha256/.test(String(content)),
    );
    if (!isWritten) return call('fs_write', { path: 'notes.md', content: 'x' });
    return 'Heard.';
  };
  return { model: createScriptedModel(script) };
}

/** A person who repeats each input until it is accepted, and must not be asked for anything that was accepted. */
async function driveThread(
  rig: DiskRunRig,
  accepted: Set<string>,
  onAsked: (what: string) => void = () => undefined,
): Promise<void> {
  const { engine } = rig;
  const accept = async (what: string, said: Promise<StopPoint>): Promise<StopPoint> => {
    await engine.saveInput();
    accepted.add(what);
    return said;
  };
  const sayWords = (): Promise<StopPoint> => {
    const said = engine.say('one more thing');
    const queued = accept('queued input', engine.say('and another'));
    return accept('input', said).then(async () => queued);
  };
  const { phase, reason, pending } = engine.memory;
  // What a person sees of an idle run: its pending request is open.
  if (reason?.code === 'question' || reason?.code === 'approval') expect(isUnanswered(pending)).toBe(true);
  const isAsked = isUnanswered(pending) || (reason?.code === 'reply' && phase === 'WaitingUser');
  let stop: StopPoint = isAsked && reason ? { phase: 'WaitingUser', reason } : await engine.resume();
  for (;;) {
    if (stop.reason?.code === 'question') {
      onAsked('answer');
      stop = await accept('answer', engine.answer({ q: 'the blue one' }));
    } else if (stop.reason?.code === 'approval') {
      onAsked('approval');
      stop = await accept('approval', engine.approve({ decision: 'once' }));
    } else if (stop.reason?.code === 'reply') {
      const heard = JSON.stringify(engine.memory.history.messages);
      const isFirstHeard = heard.includes('one more thing');
      if (isFirstHeard && heard.includes('and another')) return;
      if (isFirstHeard) stop = await accept('queued input', engine.say('and another'));
      else stop = await sayWords();
    } else stop = await engine.resume();
  }
}

/** Files of a process with the current pid look as if they were still being written. */
function withoutTemps(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([path]) => !/\.writing-\d+-/.test(path)));
}

/** Ids and times differ from run to run. */
function comparable({ state, ...ending }: { readonly state: string }) {
  const steady = state.replace(/^runId: .*$/m, 'runId: …').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…');
  return { ...ending, state: steady };
}
