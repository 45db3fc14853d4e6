import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runEventSchema } from '@crewagent/protocol/events';
import { foldStory } from '@crewagent/protocol/story/fold-story';
import { addToWorkStory, createWorkStory } from '@crewagent/protocol/story/work-story';
import { describe, expect, it } from 'vitest';
import { LiveText } from './print/live-text.ts';
import { type CliRig, createCliRig } from './testing/cli-rig.ts';
import { type OldStore, type OldView, readOldStore, writeOldStore } from './testing/old-store.ts';

interface OldRig extends CliRig {
  readonly old: OldStore;
  readonly readProject: (path: string) => Promise<string>;
}

async function createOldRig(): Promise<OldRig> {
  const rig = await createCliRig();
  const old = await readOldStore();
  await writeOldStore(old, rig.folder);
  return { ...rig, old, readProject: (path) => readFile(join(rig.project, path), 'utf8') };
}

const ANSWERS = ['--set', 'projectName=Nova', '--set', 'goal=a larder', '--set', 'existing=nothing'];

/** The id and status columns of a list. */
function statusesOf(out: string): Record<string, string> {
  const rows = out.trimEnd().split('\n');
  return Object.fromEntries(rows.map((row) => [row.slice(0, 8), row.slice(10).split(/ {2,}/)[0] ?? '']));
}

/**
 * The old view in the shape of today: a path and a diff became a described action, a written file a mark; a visit ends where the
 * next one begins, not with its last event.
 */
function toExpected(view: OldView): object {
  const describeAction = ({ path, diff, ...rest }: { path?: string; diff?: string }): object =>
    diff === undefined
      ? { ...rest, ...(path === undefined ? {} : { path }) }
      : {
          ...rest,
          action: { ...(path ? { target: path } : {}), preview: { kind: 'diff', text: diff } },
        };
  return {
    ...view,
    ...(view.pending ? { pending: describeAction(view.pending) } : {}),
    visits: view.visits.map(({ lastAt: _, ...visit }) => visit),
    timeline: view.timeline.map((item) => ({
      ...(item.kind === 'artifact'
        ? { kind: 'mark', what: 'artifact', name: item.path }
        : describeAction(item)),
      ...(item.approval ? { approval: describeAction(item.approval) } : {}),
    })),
  };
}

describe('a store of the version before Works', () => {
  it('[O14] is listed with every run and conversation in its phase', async () => {
    const rig = await createOldRig();
    expect(statusesOf((await rig.run('runs')).out)).toEqual({
      '36021f33': '… stopped',
      '612a5378': '… interrupted',
      d0076e26: '✔ completed',
      de3598e4: '… waiting for an answer',
      '3fc5c721': '… paused: LLM_HTTP_ERROR',
      c0752df1: '… paused: ENGINE_MAX_TURNS_EXCEED…',
      '459d6a24': '✔ completed',
      '9cda1504': '… waiting for an answer',
      '974469e8': '✔ completed',
    });
    expect(statusesOf((await rig.run('conversations')).out)).toEqual({
      '1124fe02': '✔ completed',
      '4f807621': '… waiting for an answer',
      '2dda4db1': '… interrupted',
      '79953f53': '· open',
      '294987ee': '… waiting for approval',
      '242f641a': '· open',
    });
  });

  it('[O14] its stopped, interrupted and failed runs are resumed and finished', async () => {
    const rig = await createOldRig();
    for (const id of ['36021f33', '612a5378', '3fc5c721']) {
      expect((await rig.run('resume', id, '--rehearsal')).code).toBe(3);
      expect((await rig.run('answer', id, '--rehearsal', ...ANSWERS)).code).toBe(0);
    }
    expect((await rig.run('answer', '9cda1504', '--rehearsal', ...ANSWERS)).code).toBe(0);
    expect(statusesOf((await rig.run('runs')).out)).toMatchObject({
      '36021f33': '✔ completed',
      '612a5378': '✔ completed',
      '3fc5c721': '✔ completed',
      '9cda1504': '✔ completed',
    });
  });

  it('[O14] its conversations continue, with the run that one of them is in', async () => {
    const rig = await createOldRig();
    const chat = await rig.run('chat', '--continue', '2dda4db1', '-p', 'project', '--rehearsal', '-i', 'Hi');
    expect(chat).toMatchObject({ code: 0, out: expect.stringContaining('› Hi') as string });
    const inRun = ['--continue', '4f807621', '--rehearsal', '-i', 'Bread', '-i', 'Beginners'];
    const agent = await rig.run('agent', 'multi-workflows', '-p', 'project', ...inRun);
    expect(agent.out).toContain('✔');
    expect(statusesOf((await rig.run('runs')).out)).toMatchObject({ de3598e4: '✔ completed' });
  });

  it('[O14] its changes are undone and redone', async () => {
    const rig = await createOldRig();
    const story = 'artifacts/stories/rehearsal-story-key.md';
    const before = await rig.readProject(story);
    expect((await rig.run('undo', '459d6a24', '--all')).code).toBe(0);
    await expect(rig.readProject(story)).rejects.toThrow('ENOENT');
    expect((await rig.run('undo', '459d6a24', '--all', '--redo')).code).toBe(0);
    expect(await rig.readProject(story)).toBe(before);
  });

  it('[O14] [C20] changes of its conversations are undone, with those of their runs', async () => {
    const rig = await createOldRig();
    expect(await rig.readProject('mine.md')).toContain('Line');
    expect((await rig.run('undo', '79953f53', '--all')).code).toBe(0);
    expect(await rig.readProject('mine.md')).toBe('# Mine\n');
    const listed = await rig.run('undo', '1124fe02', '--dry-run');
    expect(listed.out).toContain('@project/artifacts/hello-branch/summary.md');
  });

  it('[O14] its logs give the view that the old version folded', async () => {
    const { files, views } = await readOldStore();
    const logs = eventsOf(files);
    expect(logs).toHaveLength(Object.keys(views).length);
    for (const { id, events } of logs) {
      const view = views[id];
      if (!view) throw new Error(`there is no view of ${id}`);
      // Fields that are new since then are undefined or beside it.
      expect(JSON.parse(JSON.stringify(foldStory(id, events)))).toMatchObject(toExpected(view));
    }
  });

  it('[O14] its runs and conversations read the same in the terminal and in exports', async () => {
    const rig = await createOldRig();
    const parts = eventsOf(rig.old.files).map(({ id, events }) => {
      const style = (_: string, text: string): string => text;
      const view = createWorkStory(id);
      const live = new LiveText({ style, width: undefined, language: 'en', view, isTyped: false });
      const texts = events.map((event) => {
        addToWorkStory(view, event);
        return live.add(event);
      });
      return [`narrated ${id}`, texts.join('') + live.pause()];
    });
    for (const id of Object.keys(statusesOf((await rig.run('runs')).out)))
      for (const command of EXPORTED.has(id)
        ? ['show', 'export --format md', 'export --format html']
        : ['show'])
        parts.push([`${command} ${id}`, (await rig.run(...command.split(' '), id)).out]);
    const texts = parts.map(([title, text = '']) => `${'='.repeat(20)} ${title}\n${text}`);
    const shown = texts
      .join('\n')
      .replaceAll(rig.folder, '{{root}}')
      .replace(/ {2}started .*/g, '  started')
      // The words of a page; its markup has tests of its own.
      .replace(/<style>.*?<\/style>|<[^<>]*>/gs, ' ')
      .replace(/[ \t]+$|\n(?=\s*\n)/gm, '');
    await expect(shown).toMatchFileSnapshot('testing/fixtures/old-store-output.txt');
  });
});

/** Completed, paused by an error, waiting for an answer. */
const EXPORTED = new Set(['974469e8', '3fc5c721', 'de3598e4']);

function eventsOf(files: OldStore['files']) {
  const logs = Object.entries(files).filter(([path]) => /(?:execution|messages)\.jsonl$/.test(path));
  return logs.map(([, text]) => {
    const events = text
      .trimEnd()
      .split('\n')
      .map((line) => {
        const { hash: _, ...event } = JSON.parse(line) as { hash: string };
        return runEventSchema.parse(event);
      });
    return { id: events[0]?.runId ?? '', events };
  });
}
