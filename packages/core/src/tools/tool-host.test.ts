import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemToolPolicySchema } from '@crewagent/protocol/tools';
import * as z from '@crewagent/protocol/zod';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256Of } from '../base/sha256.ts';
import { toAdvertisedModule } from '../testing/rigs/advertised-module.ts';
import { codeOf, createToolRig } from '../testing/rigs/tool-rig.ts';
import { readTree } from '../testing/temp-folder.ts';
import { answer, createToolSource, defineTool, type Tool } from './tool.ts';
import { createToolHost, type ToolHost } from './tool-host.ts';
import { isOffered, mergePolicy, needsApproval } from './tool-policy.ts';
import type { ToolAnswer, ToolCallContext } from './tool-source.ts';
import { createWireNames } from './wire-names.ts';

function hostOf(tools: Tool[], policy: object = {}): ToolHost {
  return createToolHost({
    sources: [createToolSource(tools)],
    policy: mergePolicy(systemToolPolicySchema.parse(policy), { mcp: { enabled: true } }),
    monotonicMs: () => performance.now(),
    onFact: () => undefined,
    onBug: () => undefined,
  });
}

const signal = new AbortController().signal;

function toolOf(name: string, run: (args: unknown, call: ToolCallContext) => Promise<ToolAnswer>): Tool {
  return defineTool({
    name,
    family: 'ui',
    description: name,
    schema: () => z.strictObject({}),
    run,
  });
}

describe('the tool host', () => {
  it('[T20] accepts both spellings of a name, and no name of another tool', async () => {
    const { outcome, call } = await createToolRig({ project: { 'a.md': 'x' } });
    for (const name of ['fs.read', 'fs_read'])
      expect(await outcome(name, { path: 'a.md' })).toMatchObject({
        kind: 'done',
        name: 'fs.read',
        result: { ok: true },
      });
    for (const name of [
      'shell.exec',
      'user',
      'node',
      'delete_file',
      '',
      '__proto__',
      'runtime.update_state',
    ]) {
      expect(codeOf(await call(name, {}))).toBe('TOOL_NOT_AVAILABLE');
    }
  });

  it('[T22] answers invalid JSON with advice', async () => {
    const { host, call } = await createToolRig();
    expect(codeOf(await call('fs.read', '{"path": "a'))).toBe('TOOL_ARGS_INVALID_JSON');
    const cut = await host.execute(
      { id: '1', name: 'fs.write', arguments: '{"path":"a","content":"xx', isCutOff: true },
      { signal },
    );
    expect(cut).toMatchObject({
      result: {
        error: { code: 'TOOL_ARGS_INVALID_JSON', message: expect.stringContaining('in parts') as string },
      },
    });
    for (const text of ['[]', '"x"', '1', 'null', 'true'])
      expect(codeOf(await call('fs.read', text))).toBe('TOOL_ARGS_INVALID');
  });

  it('[T22] names the invalid argument and what was expected', async () => {
    const { call } = await createToolRig();
    const wrong = await call('fs.read', { path: 'a', startLine: 'ten', extra: 1 });
    expect(wrong).toMatchObject({
      error: {
        code: 'TOOL_ARGS_INVALID',
        details: { expected: { type: 'object' } },
      },
    });
    expect(wrong.ok ? '' : wrong.error.message).toContain('startLine');
    expect(wrong.ok ? '' : wrong.error.message).toContain('extra');
    expect(codeOf(await call('fs.read', ''))).toBe('TOOL_ARGS_INVALID');
  });

  it('[T22] offers schemas under names that providers accept', async () => {
    const { host } = await createToolRig({ policy: { strictState: true } });
    const offered = host.offered();
    expect(offered.map(({ name }) => name)).toContain('runtime.complete_node');
    for (const { wireName, parameters } of offered) {
      expect(wireName).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(parameters).toMatchObject({ type: 'object' });
    }
    expect(Buffer.byteLength(JSON.stringify(offered))).toBeLessThan(7_000);
  });

  it('[T23] merges to the smaller limits, switches on in both, and common servers', () => {
    const system = systemToolPolicySchema.parse({
      fs: { maxReadBytes: 1000 },
      mcp: { enabled: true, allowedServers: ['a', 'b'] },
    });
    expect(mergePolicy(system, undefined)).toMatchObject({
      fs: { enabled: true, maxReadBytes: 1000, maxWriteBytes: 2_097_152, inlineReadBytes: 65_536 },
      mcp: { enabled: false },
    });
    const tight = mergePolicy(
      system,
      {
        fs: { enabled: true, maxReadBytes: 5000, maxWriteBytes: 7 },
        mcp: { enabled: true, allowedServers: ['b', 'c'] },
      },
      8_000,
    );
    expect(tight).toMatchObject({
      fs: { maxReadBytes: 1000, maxWriteBytes: 7, inlineReadBytes: 4_000 },
      mcp: { enabled: true, allowedServers: ['b'] },
    });
    expect(
      mergePolicy(systemToolPolicySchema.parse({ fs: { enabled: false } }), { fs: { enabled: true } }).fs
        .enabled,
    ).toBe(false);
    const off = mergePolicy(systemToolPolicySchema.parse({ mcp: { enabled: false } }), {
      fs: { enabled: false, maxReadBytes: 5 },
      mcp: { enabled: true },
    });
    expect(off).toMatchObject({ fs: { enabled: false, maxReadBytes: 5 }, mcp: { enabled: false } });
  });

  it('[T23] has a switch for each family', () => {
    const policy = (more: object): ReturnType<typeof mergePolicy> =>
      mergePolicy(systemToolPolicySchema.parse(more), { mcp: { enabled: true } });
    const offered = (more: object, ofServer: { server?: string } = { server: 'a' }): string[] =>
      (['fs', 'runtime', 'mcp', 'ui', 'shell'] as const).filter((family) =>
        isOffered({ family, ...ofServer, isReadOnly: true }, policy(more)),
      );
    const everyServer = { mcp: { enabled: true, allowedServers: ['b'] } };
    expect(offered(everyServer, {})).toContain('mcp');
    expect(offered({ mcp: { enabled: true } }, {})).not.toContain('mcp');
    expect(offered({ mcp: { enabled: false, allowedServers: ['a'] } })).not.toContain('mcp');
    expect(offered({})).toEqual(['fs', 'runtime', 'ui', 'shell']);
    expect(offered({ fs: { enabled: false } })).toEqual(['runtime', 'ui', 'shell']);
    expect(offered({ mcp: { enabled: true, allowedServers: ['a'] }, fs: { enabled: false } })).toEqual([
      'runtime',
      'mcp',
      'ui',
      'shell',
    ]);
    expect(offered(everyServer)).toEqual(['fs', 'runtime', 'ui', 'shell']);
  });

  it('[T104] an approval of a preview that is cut is for the whole content', async () => {
    const rig = await createToolRig({ policy: { approval: 'ask' } });
    const args = (end: string) => ({ path: 'a.txt', content: `${'\n'.repeat(1_200_000)}${end}\n` });
    const asked = await rig.outcome('fs.write', args('GOOD'));
    if (asked.kind !== 'approval') throw new Error('it asks');
    const { action } = asked;
    expect(action.preview.isCut).toBe(true);
    expect(action.preview.text).not.toContain('GOOD');
    const other = await rig.outcome('fs.write', args('EVIL'), { approval: { isGranted: true, action } });
    expect(other).toMatchObject({ kind: 'approval', action: { changed: ['preview'] } });
    expect(existsSync(join(rig.project, 'a.txt'))).toBe(false);
  });

  it('[T24] removes and rejects writing tools under read-only', async () => {
    const rig = await createToolRig({ policy: { approval: 'read-only' } });
    expect(
      rig.host
        .offered()
        .map(({ name }) => name)
        .filter((name) => /write|patch/.test(name)),
    ).toEqual([]);
    expect(codeOf(await rig.call('fs.write', { path: 'artifacts/a.md', content: 'x' }))).toBe(
      'TOOL_NOT_AVAILABLE',
    );
    expect(await readTree(rig.project)).toEqual({});
  });

  it('[T24] asks before changing the project outside the artifacts, with the exact diff, and obeys the answer', async () => {
    const rig = await createToolRig({ policy: { approval: 'ask' }, project: { 'src/a.md': 'old\n' } });
    const args = { path: 'src/a.md', content: 'new\n' };
    expect(codeOf(await rig.call('fs.write', { path: 'artifacts/a.md', content: 'x' }))).toBe('ok');
    expect(
      codeOf(
        await rig.call('fs.apply_patch', { path: 'workflow.md', update: { variables: { set: { a: 1 } } } }),
      ),
    ).toBe('ok');
    const asked = await rig.outcome('fs.write', args);
    expect(asked).toMatchObject({
      kind: 'approval',
      action: {
        target: '@project/src/a.md',
        effect: 'written',
        preview: { kind: 'diff', text: expect.stringContaining('-old\n+new') as string },
      },
    });
    expect(asked).not.toHaveProperty('action.isNew');
    const created = await rig.outcome('fs.write', { path: 'src/b.md', content: 'x' });
    expect(created).toMatchObject({ kind: 'approval', action: { effect: 'written', isNew: true } });
    expect(await readFile(join(rig.project, 'src/a.md'), 'utf8')).toBe('old\n');
    if (asked.kind !== 'approval' || created.kind !== 'approval') throw new Error('both ask');
    const { action } = asked;
    const refused = await rig.call('fs.write', args, {
      approval: { isGranted: false, action, note: 'Keep it.' },
    });
    expect(refused).toMatchObject({
      error: { code: 'TOOL_REFUSED', message: expect.stringContaining('Keep it.') as string },
    });
    const approval = { isGranted: true, action: created.action };
    const other = await rig.outcome('fs.write', args, { approval });
    expect(other).toMatchObject({ ...asked, action: { ...action, changed: ['target', 'kind'] } });
    expect(codeOf(await rig.call('fs.write', args, { approval: { isGranted: true, action } }))).toBe('ok');
    expect(
      codeOf(
        await rig.call(
          'fs.write',
          { ...args, content: 'more' },
          { isGranted: (tool, path) => tool === 'fs.write' && path === '@project/src/a.md' },
        ),
      ),
    ).toBe('ok');
    expect(await readFile(join(rig.project, 'src/a.md'), 'utf8')).toBe('more');
  });

  it('[T24] decides by the resolved path, not by its spelling', () => {
    const policy = mergePolicy(systemToolPolicySchema.parse({ approval: 'ask' }), undefined);
    expect(needsApproval({ target: '@project/artifacts/a.md', effect: 'written' }, policy)).toBe(false);
    expect(needsApproval({ target: '@project/artifacts-evil/a.md', effect: 'written' }, policy)).toBe(true);
    expect(needsApproval({ target: '@project/artifacts', effect: 'written' }, policy)).toBe(true);
    expect(needsApproval({ target: '@state/workflow.md', effect: 'written' }, policy)).toBe(false);
  });

  it.each([2 ** 31, 2 ** 53, 1e300])('[T46] waits if the limit is %d ms', async (toolTimeoutMs) => {
    const pause = toolOf('ui.pause', async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return answer({ ok: true });
    });
    const call = { id: '1', name: 'ui.pause', arguments: '{}' };
    expect(await hostOf([pause], { toolTimeoutMs }).execute(call, { signal })).toMatchObject({
      result: { ok: true },
    });
  });

  it('[T46] stops waiting for a tool that does not end, and when the run is stopped', async () => {
    const hang = toolOf(
      'ui.hang',
      (_, call) =>
        new Promise((_resolve, reject) =>
          call.signal.addEventListener('abort', () => reject(new Error('signal aborted'))),
        ),
    );
    const slow = await hostOf([hang], { toolTimeoutMs: 20 }).execute(
      { id: '1', name: 'ui.hang', arguments: '{}' },
      { signal },
    );
    expect(slow).toMatchObject({ result: { error: { code: 'TOOL_TIMEOUT' } } });
    const controller = new AbortController();
    const pending = hostOf([hang]).execute(
      { id: '1', name: 'ui.hang', arguments: '{}' },
      { signal: controller.signal },
    );
    controller.abort();
    expect(await pending).toMatchObject({ result: { error: { code: 'ENGINE_ABORTED' } } });
    expect(
      await hostOf([hang]).execute(
        { id: '1', name: 'ui.hang', arguments: '{}' },
        { signal: controller.signal },
      ),
    ).toMatchObject({ result: { error: { code: 'ENGINE_ABORTED' } } });
  });

  it('[T20] bounds its results', async () => {
    const flood = toolOf('ui.flood', async () => answer({ ok: true, text: 'x'.repeat(1_000_000) }));
    const outcome = await hostOf([flood]).execute({ id: '1', name: 'ui.flood', arguments: '{}' }, { signal });
    expect(outcome).toMatchObject({ kind: 'done', result: { ok: true, truncated: true } });
    expect(outcome.kind === 'done' ? outcome.content.length : 0).toBeLessThan(140_000);
  });

  it('[T20] answers an internal error with an id, without details', async () => {
    const broken = toolOf('ui.broken', async () => {
      throw new TypeError('at /home/someone/secret.ts');
    });
    const outcome = await hostOf([broken]).execute(
      { id: '1', name: 'ui.broken', arguments: '{}' },
      { signal },
    );
    expect(outcome).toMatchObject({ result: { error: { code: 'E_INTERNAL' } } });
    expect(JSON.stringify(outcome)).not.toContain('/home');
  });

  it('[T40] rejects questions that are too deep to be stored', async () => {
    const rig = await createToolRig();
    const deep = `{"questions":[{"id":"q","prompt":"?","type":"form","schema":${'{"a":'.repeat(6_000)}1${'}'.repeat(6_000)}}]}`;
    expect(codeOf(await rig.call('ui.ask_user', deep))).toBe('TOOL_ARGS_INVALID');
    const long = { questions: [{ id: 'q', prompt: 'x'.repeat(70_000), type: 'text' }] };
    expect(codeOf(await rig.call('ui.ask_user', long))).toBe('TOOL_ARGS_INVALID');
  });

  it('[Y30] drops a source from the questions of a model: it cannot speak for a server', async () => {
    const question = { id: 'q', prompt: 'Why?', type: 'text' };
    const source = { server: 'tickets', message: 'Why?', label: 'Why?' };
    const { outcome } = await createToolRig();
    expect(await outcome('ui.ask_user', { questions: [{ ...question, source }] })).toEqual({
      kind: 'question',
      name: 'ui.ask_user',
      questions: [question],
    });
  });

  it('[T22] advertises what the schemas say', () => {
    const file = new URL('./advertised-parameters.ts', import.meta.url);
    expect(readFileSync(file, 'utf8')).toBe(toAdvertisedModule());
  });

  it('[T20] maps names both ways, also if they collide or are too long', () => {
    const long = `mcp.server.${'x'.repeat(80)}`;
    const names = createWireNames(['fs.read', 'fs_read', 'fs-read', long, `${long}y`]);
    const wires = ['fs.read', 'fs_read', 'fs-read', long, `${long}y`].map((name) => names.toWire(name));
    expect(new Set(wires).size).toBe(5);
    for (const wire of wires) expect(wire).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(wires.map((wire) => names.fromWire(wire))).toEqual([
      'fs.read',
      'fs_read',
      'fs-read',
      long,
      `${long}y`,
    ]);
    expect(names.fromWire('other')).toBeUndefined();
  });

  it('[T20] emits one fact for every answered call, including rejected ones', async () => {
    const rig = await createToolRig();
    await rig.call('fs.list', { path: '@project' });
    await rig.call('nope', {});
    await rig.call('fs.read', '{');
    await rig.call('fs.write', { path: '@pkg/x', content: '' });
    await rig.outcome('ui.ask_user', { questions: [{ id: 'q', prompt: 'Why?', type: 'text' }] });
    const calls = rig.facts.filter((fact) => fact.type === 'tool.ended');
    expect(calls.map(({ name, outcome, code }) => [name, outcome, code])).toEqual([
      ['fs.list', 'ok', undefined],
      ['nope', 'refused', 'TOOL_NOT_AVAILABLE'],
      ['fs.read', 'failed', 'TOOL_ARGS_INVALID_JSON'],
      ['fs.write', 'refused', 'E_SANDBOX_VIOLATION'],
    ]);
    for (const { durationMs, callId, content } of calls) {
      expect(JSON.parse(content)).toHaveProperty('ok');
      expect(durationMs).toBeGreaterThanOrEqual(0);
      expect(callId).toMatch(/^call-/);
    }
  });

  it('[T20] reports the effect of a call, with the full path', async () => {
    const rig = await createToolRig({ project: { 'a.md': 'one\n' } });
    await rig.call('fs.read', { path: 'a.md' });
    await rig.call('fs.read', { path: 'missing.md' });
    await rig.call('fs.list', { path: '@project' });
    await rig.call('fs.search', { pattern: 'one', path: 'a.md' });
    await rig.call('fs.write', { path: 'artifacts/new.md', content: 'x' });
    await rig.call('fs.write', { path: 'a.md', content: 'two\n' });
    await rig.call('fs.apply_patch', { path: 'a.md', find: 'two', replace: 'three' });
    await rig.call('fs.apply_patch', { path: 'workflow.md', update: { variables: { set: { a: 1 } } } });
    await rig.call('fs.write', { path: '@pkg/x', content: '' });
    await rig.call('fs.read', '{');
    await rig.call('nope', {});
    const calls = rig.facts.filter((fact) => fact.type === 'tool.ended');
    const diff = expect.stringContaining('@@') as string;
    const ONE_LINE = { added: 1, removed: 1 };
    const hashOf = (path: string, text: string) => ({
      hashes: [{ path, sha256: sha256Of(Buffer.from(text)) }],
    });
    const [one, two, three] = ['one\n', 'two\n', 'three\n'].map((text) => hashOf('@project/a.md', text));
    const created = {
      isNew: true,
      lines: { added: 1, removed: 0 },
      ...hashOf('@project/artifacts/new.md', 'x'),
    };
    expect(calls.map(({ effect }) => effect)).toEqual([
      { kind: 'read', path: '@project/a.md', ...one },
      { kind: 'read', path: '@project/missing.md' },
      { kind: 'listed', path: '@project' },
      { kind: 'searched', path: '@project/a.md', query: 'one' },
      { kind: 'written', path: '@project/artifacts/new.md', ...created },
      { kind: 'written', path: '@project/a.md', lines: ONE_LINE, isReplaced: true, diff, ...two },
      { kind: 'patched', path: '@project/a.md', lines: ONE_LINE, isReplaced: true, diff, ...three },
      { kind: 'state', path: '@state/workflow.md', diff },
      { kind: 'written', path: '@pkg/x' },
      { kind: 'read' },
      { kind: 'none' },
    ]);
    for (const { outcome, message, content } of calls) {
      const { error } = JSON.parse(content) as { error?: { message: string } };
      expect(message).toBe(outcome === 'ok' ? undefined : error?.message);
    }
  });

  it('a write tells how many lines it changed, and one that changes nothing touches nothing', async () => {
    const rig = await createToolRig({ project: { 'a.md': 'one\ntwo\n' } });
    await rig.call('fs.write', { path: 'a.md', content: 'one\ntwo\nthree\n' });
    await rig.call('fs.write', { path: 'a.md', content: 'one\ntwo\nthree\n' });
    const effects = rig.facts.flatMap((fact) => (fact.type === 'tool.ended' ? [fact.effect] : []));
    expect(effects).toMatchObject([
      { lines: { added: 1, removed: 0 } },
      { lines: { added: 0, removed: 0 }, isUnchanged: true },
    ]);
    expect(effects[0]).not.toHaveProperty('isReplaced');
  });

  it.each([
    ['nothing is left but blank lines', 'New.\n\nText.\n', true],
    ['a line is left', 'one\n\nText.\n', false],
  ])('a write tells whether anything of the old text is left: %s', async (_, content, isReplaced) => {
    const rig = await createToolRig({ project: { 'a.md': 'one\n\ntwo\n' } });
    await rig.call('fs.write', { path: 'a.md', content });
    const [ended] = rig.facts.flatMap((fact) => (fact.type === 'tool.ended' ? [fact] : []));
    expect(ended?.effect?.isReplaced ?? false).toBe(isReplaced);
  });

  it('[T20] reports the state, not a file, as effect of a runtime tool', async () => {
    const rig = await createToolRig({ policy: { strictState: true } });
    await rig.call('runtime.update_state', { patch: { variables: { set: { a: 1 } } } });
    expect(rig.facts).toContainEqual(expect.objectContaining({ effect: { kind: 'state' } }));
  });

  it('[T29] changes the state only through runtime tools in strict mode, under the same rules', async () => {
    const rig = await createToolRig({ policy: { strictState: true } });
    expect(
      codeOf(
        await rig.call('fs.apply_patch', { path: 'workflow.md', update: { variables: { set: { a: 1 } } } }),
      ),
    ).toBe('E_SANDBOX_VIOLATION');
    expect(codeOf(await rig.call('runtime.complete_node', { nodeId: 'decide-02' }))).toBe(
      'E_INVALID_TRANSITION',
    );
    expect(
      await rig.call('runtime.complete_node', { nodeId: 'step-01', variables: { kind: 'green' } }),
    ).toMatchObject({
      ok: true,
      newState: { currentNodeId: 'decide-02', stepsCompleted: ['step-01'], variables: { kind: 'green' } },
      stepFile: '@pkg/steps/decide-02.md',
    });
    expect(await rig.call('runtime.complete_node', { nodeId: 'decide-02' })).toMatchObject({
      error: {
        code: 'E_INVALID_TRANSITION',
        message: expect.stringContaining('Several edges match') as string,
      },
    });
    expect(codeOf(await rig.call('runtime.complete_node', { nodeId: 'decide-02', next: 'end-99' }))).toBe(
      'E_INVALID_TRANSITION',
    );
    expect(
      codeOf(
        await rig.call('runtime.complete_node', {
          nodeId: 'decide-02',
          decision: { label: 'green', reason: 'it is' },
        }),
      ),
    ).toBe('ok');
    expect(
      codeOf(await rig.call('runtime.update_state', { patch: { variables: { set: { note: 'x' } } } })),
    ).toBe('ok');
    expect(
      codeOf(await rig.call('runtime.update_state', { patch: { currentNodeId: { set: 'step-01' } } })),
    ).toBe('E_INVALID_TRANSITION');
    await rig.call('runtime.complete_node', { nodeId: 'step-03a', next: 'end-99' });
    expect(
      await rig.call('runtime.complete_node', {
        nodeId: 'end-99',
        variables: { workflowStatus: 'complete' },
      }),
    ).toMatchObject({ ok: true, newState: { currentNodeId: 'end-99' } });
    expect(await rig.stateText()).toContain('reason: it is');
  });

  it('[T29] next decides where the label is in other words; a label of another edge contradicts it', async () => {
    const rig = await createToolRig();
    await rig.call('runtime.complete_node', { nodeId: 'step-01', decision: { label: '', reason: '' } });
    const leave = (label: string) =>
      rig.call('runtime.complete_node', { nodeId: 'decide-02', next: 'step-03a', decision: { label } });
    expect(codeOf(await leave('brown'))).toBe('E_INVALID_TRANSITION');
    expect(await leave('Continue with the green one')).toMatchObject({
      ok: true,
      newState: { currentNodeId: 'step-03a' },
    });
    expect(await rig.stateText()).toContain('label: green');
  });

  it('[T29] completing the last node again changes nothing and is no error', async () => {
    const rig = await createToolRig();
    await rig.call('runtime.complete_node', { nodeId: 'step-01' });
    await rig.call('runtime.complete_node', { nodeId: 'decide-02', next: 'step-03a' });
    await rig.call('runtime.complete_node', { nodeId: 'step-03a', next: 'end-99' });
    await rig.call('runtime.complete_node', { nodeId: 'end-99' });
    const text = await rig.stateText();
    expect(await rig.call('runtime.complete_node', { nodeId: 'end-99' })).toMatchObject({
      ok: true,
      hint: expect.stringContaining('complete already') as string,
    });
    expect(
      codeOf(await rig.call('runtime.complete_node', { nodeId: 'end-99', variables: { late: true } })),
    ).toBe('STATE_CHANGE_REQUIRES_CONFIRMATION');
    expect(await rig.stateText()).toBe(text);
  });

  it('[T211] an optional argument that is null counts as left out, a required one does not', async () => {
    const rig = await createToolRig({ project: { 'a.md': 'one\n' } });
    expect(await rig.call('fs.read', { path: 'a.md', startLine: null, endLine: null })).toMatchObject({
      content: '1:one\n',
    });
    const nothing = { next: null, variables: null, decision: null, carry: null };
    expect(codeOf(await rig.call('runtime.complete_node', { nodeId: 'step-01', ...nothing }))).toBe('ok');
    expect(codeOf(await rig.call('fs.read', { path: null }))).toBe('TOOL_ARGS_INVALID');
    expect(codeOf(await rig.call('fs.write', { path: 'a.md', content: null, mode: null }))).toBe(
      'TOOL_ARGS_INVALID',
    );
  });

  it.each<[string, object, object]>([
    [
      'hints that do not change the question',
      {
        questions: [{ id: 'a', prompt: 'Which?', type: 'text', default: 'x', required: true, schema: null }],
      },
      { id: 'a', prompt: 'Which?', type: 'text' },
    ],
    [
      'other names of a type, options as objects',
      {
        questions: [{ id: 'a', prompt: 'Which?', type: 'select', options: [{ label: 'x' }, { value: 'y' }] }],
      },
      { id: 'a', prompt: 'Which?', type: 'choice', options: ['x', 'y'] },
    ],
    [
      'no id and no type',
      { questions: [{ question: 'Which?', options: ['x'] }] },
      { id: 'question-1', prompt: 'Which?', type: 'choice', options: ['x'] },
    ],
    ['one question without a list', { question: 'Why?' }, { id: 'question-1', prompt: 'Why?', type: 'text' }],
  ])('[T211] a question may come with %s', async (_, args, question) => {
    const { outcome } = await createToolRig();
    expect(await outcome('ui.ask_user', args)).toEqual({
      kind: 'question',
      name: 'ui.ask_user',
      questions: [question],
    });
  });

  it('[T40] suspends for a question, which must be answerable', async () => {
    const { outcome, call } = await createToolRig();
    const questions = [{ id: 'a', prompt: 'Which?', type: 'choice', options: ['x', 'y'] }];
    expect(await outcome('ui.ask_user', { questions })).toEqual({
      kind: 'question',
      name: 'ui.ask_user',
      questions,
    });
    expect(
      codeOf(await call('ui.ask_user', { questions: [{ id: 'a', prompt: 'Which?', type: 'choice' }] })),
    ).toBe('TOOL_ARGS_INVALID');
    expect(codeOf(await call('ui.ask_user', { questions: [...questions, ...questions] }))).toBe(
      'TOOL_ARGS_INVALID',
    );
    expect(codeOf(await call('ui.ask_user', { questions: [] }))).toBe('TOOL_ARGS_INVALID');
  });

  it('[T20] gives one answer to any call, and changes nothing outside', async () => {
    const name = fc.oneof(
      fc.constantFrom(
        'fs.read',
        'fs_list',
        'fs.write',
        'fs.apply_patch',
        'ui.ask_user',
        'runtime.update_state',
      ),
      fc.string({ maxLength: 12 }),
    );
    const path = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom(
        '/etc/passwd',
        '../x',
        '@state/../logs/execution.jsonl',
        '@state/workflow.md',
        '@pkg/x',
        '@project/a/b',
        '',
        '{state-root}/../logs',
        `@project/${'a/'.repeat(50)}`,
      ),
    );
    const args = fc.oneof(
      fc.string({ maxLength: 30 }),
      fc.jsonValue({ maxDepth: 3 }),
      fc.record(
        {
          path,
          content: fc.string(),
          mode: fc.constantFrom('append', 'overwrite', 'x'),
          patches: fc.jsonValue({ maxDepth: 3 }),
          find: fc.string(),
          replace: fc.string(),
          update: fc.jsonValue({ maxDepth: 3 }),
          startLine: fc.integer(),
        },
        { requiredKeys: ['path'] },
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, args), { maxLength: 6 }), async (calls) => {
        const rig = await createToolRig();
        const pkg = await readTree(rig.pkg);
        for (const [tool, value] of calls) {
          const outcome = await rig.outcome(tool, value);
          expect(['done', 'approval', 'question']).toContain(outcome.kind);
          expect(JSON.stringify(outcome)).not.toContain(rig.root);
        }
        expect(await readTree(rig.pkg)).toEqual(pkg);
        expect(await readFile(join(rig.state, '../logs/execution.jsonl'), 'utf8')).toBe('private\n');
        expect(
          Object.keys(await readTree(rig.root)).filter((entry) => !/^(?:project|pkg|run)\//.test(entry)),
        ).toEqual([]);
        expect(rig.bugs).toEqual([]);
      }),
    );
  });
});
