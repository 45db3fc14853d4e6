import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { call, createScriptedModel, finishArguments } from '../testing/models/scripted-model.ts';
import { diskRigFor, TO_THE_END } from '../testing/rigs/branching-run.ts';

describe('replies', () => {
  it('ids, names and arguments are normalised to what every provider accepts', async () => {
    const list = { path: '@project' };
    const model = createScriptedModel([
      {
        calls: [
          { id: 'same', name: 'fs_list', arguments: list },
          { id: 'same', name: 'fs.read', arguments: { path: 'README.md' } },
          { id: 'with space', name: 'weird name!', arguments: '[1]' },
          { id: '', name: '', arguments: '' },
        ],
      },
      { calls: [{ id: 'same', name: 'fs_list', arguments: list }] },
      'Done.',
    ]);
    const rig = await diskRigFor([], { model });
    await rig.engine.start();
    const replies = (model.requests[2]?.messages ?? []).filter((message) => message.role === 'assistant');
    const calls = replies.flatMap((message) => message.tool_calls ?? []);
    const ids = calls.map(({ id }) => id);
    expect(ids[0]).toBe('same');
    expect(new Set(ids).size).toBe(5);
    for (const id of ids.slice(1)) expect(id).toMatch(/^[a-z0-9]{9}$/);
    expect(calls.map((made) => [made.function.name, made.function.arguments])).toEqual([
      ['fs_list', '{"path":"@project"}'],
      ['fs_read', '{"path":"README.md"}'],
      ['weird_name_', '{}'],
      ['unnamed', '{}'],
      ['fs_list', '{"path":"@project"}'],
    ]);
  });

  it('an id of the model that looks like one of the runtime stays unique', async () => {
    const made = await diskRigFor([
      { calls: [{ id: '', name: 'fs_list', arguments: { path: '@project' } }] },
      'Hm.',
    ]);
    await made.engine.start();
    const [ours = ''] = made.eventsOf('tool.ended').map(({ callId }) => callId);
    const rig = await diskRigFor([
      {
        calls: [
          { id: ours, name: 'fs_list', arguments: { path: '@pkg' } },
          { id: '', name: 'fs_list', arguments: { path: '@project' } },
        ],
      },
      'Hm.',
    ]);
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'reply' } });
    expect(new Set(rig.eventsOf('tool.ended').map(({ callId }) => callId)).size).toBe(2);
  });

  it('[L155] a reply with thousands of calls is truncated', async () => {
    const calls = Array.from({ length: 5_000 }, () => ({ name: 'nope' }));
    const rig = await diskRigFor([{ calls }, 'Hm.']);
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'reply' } });
    expect(rig.eventsOf('tool.ended')).toHaveLength(128);
    expect(rig.eventsOf('warning')).toMatchObject([{ code: 'TOO_MANY_CALLS' }]);
  });

  it('an empty reply, as after a content filter, is sent back with a placeholder text', async () => {
    const model = createScriptedModel([{ content: '', finishReason: 'content_filter' }, 'Hm.']);
    const rig = await diskRigFor([], { model });
    await rig.engine.start();
    await rig.engine.say('Again.');
    expect(model.requests[1]?.messages.find(({ role }) => role === 'assistant')?.content).toBe('(no text)');
  });

  it('reasoning is sent back with tool turns if the provider wants it, unknown fields always', async () => {
    for (const wantsReasoningBack of [true, false]) {
      const model = createScriptedModel(
        [
          { ...call('fs_list', { path: '@project' }), reasoning: 'hm', extra: { thought_signature: 'abc' } },
          { content: 'A word', reasoning: 'late' },
        ],
        { wantsReasoningBack },
      );
      const rig = await diskRigFor([], { model });
      await rig.engine.start();
      const reply = model.requests[1]?.messages.find((message) => message.role === 'assistant');
      expect(reply?.thought_signature).toBe('abc');
      expect(reply?.reasoning_content).toBe(wantsReasoningBack ? 'hm' : undefined);
    }
  });

  it('[L42] no path of the machine is in a request or an event', async () => {
    const model = createScriptedModel([
      {
        calls: [
          { name: 'fs_read', arguments: { path: '/etc/passwd' } },
          { name: 'fs_read', arguments: { path: '@state/../run.json' } },
          { name: 'fs_read', arguments: { path: '@project/none/at/all.md' } },
          { name: 'fs_write', arguments: { path: '@pkg/steps/step-01.md', content: '' } },
          { name: 'fs_search', arguments: { query: '(', regex: true } },
          { name: 'fs_write', arguments: { path: '@project/README.md/x.md', content: '' } },
          { name: 'fs_apply_patch', arguments: finishArguments('step-01', 'end-99') },
        ],
      },
      ...TO_THE_END,
    ]);
    const rig = await diskRigFor([], { model });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    const everything = JSON.stringify([model.requests, rig.events]);
    expect(everything).not.toContain(rig.project);
    expect(everything).not.toContain(rig.store.root);
  });

  it('[L31] every emitted event except deltas is in the log first, in the same order', async () => {
    const { readRunLog } = await import('../store/disk/log/run-log.ts');
    const rig = await diskRigFor(TO_THE_END);
    const file = rig.paths.log;
    rig.engine.subscribe((event) => {
      if (event.type === 'message.delta') return;
      expect(readFileSync(file, 'utf8').trimEnd().split('\n').at(-1)).toContain(`"seq":${event.seq},`);
    });
    await rig.engine.start();
    expect(rig.bugs).toEqual([]);
    const logged: unknown[] = [];
    const { isIntact } = await readRunLog(rig.paths.log, (event) => logged.push(event));
    const sent = rig.events.filter(({ type }) => type !== 'message.delta');
    expect(isIntact).toBe(true);
    expect(logged.slice(1)).toEqual(sent);
    expect(sent.length).toBeLessThan(rig.events.length);
  });
});
