import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toFileAction } from '@crewagent/protocol/described-actions';
import { type FileFact, systemToolPolicySchema } from '@crewagent/protocol/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sha256Of } from '../base/sha256.ts';
import { ChangedMeanwhile } from '../mounts/file-identity.ts';
import type { ExecuteOptions } from './execute-call.ts';
import { createToolHost } from './tool-host.ts';
import type { ApprovalRequest, ToolOutcome } from './tool-outcome.ts';
import { mergePolicy } from './tool-policy.ts';
import type { PreparedAction, ToolAnswer, ToolSource } from './tool-source.ts';

/** A command that runs on a copy: what it changed is held until a person has seen it. */
async function createHeldRig({ runsLater }: { runsLater?: 'hook' | undefined } = { runsLater: 'hook' }) {
  const project = await mkdtemp(join(tmpdir(), 'crewagent-held-'));
  onTestFinished(() => rm(project, { recursive: true }));
  const hook = join(project, 'hook');
  await writeFile(hook, 'old\n');
  const held = new Map<string, string>();
  const runs: string[] = [];
  const factOf = async (content: string): Promise<FileFact> => ({
    path: '@project/hook',
    before: { kind: 'file', sha256: sha256Of(await readFile(hook)) },
    after: { kind: 'file', sha256: sha256Of(Buffer.from(content)) },
    ...(runsLater ? { runsLater } : {}),
  });
  const prepare = async (callId: string, content: string): Promise<PreparedAction> => {
    const fact = await factOf(content);
    return {
      action: toFileAction('shell.run', '@project/hook', `+${content}`, 'written'),
      files: [fact],
      effect: { command: 'make hook' },
      isNoop: false,
      async commit() {
        if ((await factOf(content)).before.sha256 !== fact.before.sha256) throw new ChangedMeanwhile();
        await writeFile(hook, content);
        held.delete(callId);
        return { ok: true, output: 'made' };
      },
      async discard({ error }) {
        held.delete(callId);
        return { ok: true, output: 'made', note: error.message };
      },
    };
  };
  const source: ToolSource = {
    list: () => [
      {
        name: 'shell.run',
        family: 'shell',
        effect: 'external',
        isReadOnly: false,
        description: 'Runs a command.',
        parameters: () => ({ type: 'object' }),
      },
    ],
    heldAction: async (callId) => held.has(callId),
    async run(_, { callId }): Promise<ToolAnswer> {
      if (!held.has(callId)) {
        runs.push(callId);
        held.set(callId, 'new\n');
      }
      return { kind: 'action', prepared: await prepare(callId, held.get(callId) ?? '') };
    },
  };
  const host = createToolHost({
    sources: [source],
    policy: mergePolicy(systemToolPolicySchema.parse({ approval: 'ask' }), undefined),
    monotonicMs: () => performance.now(),
    onFact: () => undefined,
    onBug: (_, error) => expect.unreachable(String(error)),
  });
  const { signal } = new AbortController();
  return {
    hook,
    held,
    runs,
    text: () => readFile(hook, 'utf8'),
    call: (options: Partial<ExecuteOptions> = {}): Promise<ToolOutcome> =>
      host.execute(
        { id: 'c', name: 'shell.run', arguments: '{"command":"make hook"}' },
        { signal, ...options },
      ),
  };
}

function requestOf(outcome: ToolOutcome): ApprovalRequest {
  if (outcome.kind !== 'approval') throw new Error('it asks');
  return outcome;
}

const answerTo = ({ action, isHeld }: ApprovalRequest, isGranted = true) => ({
  approval: { isGranted, action, isHeld },
});

describe('a call that has run, and waits for consent to what it changed', () => {
  it('[T102] is approved as a command first, then as a change, and runs once', async () => {
    const rig = await createHeldRig();
    const command = requestOf(await rig.call());
    expect(command).toMatchObject({ action: { preview: { kind: 'json' } } });
    expect([rig.runs, command.isHeld]).toEqual([[], undefined]);
    const change = requestOf(await rig.call(answerTo(command)));
    expect(change).toMatchObject({
      isHeld: true,
      runsLater: 'hook',
      action: { target: '@project/hook', isOnceOnly: true },
    });
    expect(change.action).not.toHaveProperty('changed');
    expect(await rig.text()).toBe('old\n');
    expect(await rig.call(answerTo(change))).toMatchObject({ result: { ok: true, output: 'made' } });
    expect([await rig.text(), rig.runs]).toEqual(['new\n', ['c']]);
  });

  it('[T102] is not covered by consent for longer, which is for commands', async () => {
    const rig = await createHeldRig({});
    const granted = await rig.call({ isGranted: () => true });
    expect(requestOf(granted)).toMatchObject({ isHeld: true });
    expect([await rig.text(), rig.runs]).toEqual(['old\n', ['c']]);
  });

  it('[T102] asks again, without running again, if a file has changed since', async () => {
    const rig = await createHeldRig();
    const change = requestOf(await rig.call(answerTo(requestOf(await rig.call()))));
    await writeFile(rig.hook, 'theirs\n');
    const again = requestOf(await rig.call(answerTo(change)));
    expect(again).toMatchObject({ isHeld: true, action: { changed: ['content'] } });
    expect([await rig.text(), rig.runs]).toEqual(['theirs\n', ['c']]);
  });

  it('[T102] drops the changes if they are denied, and returns what it did', async () => {
    const rig = await createHeldRig();
    const change = requestOf(await rig.call(answerTo(requestOf(await rig.call()))));
    expect(await rig.call(answerTo(change, false))).toMatchObject({
      result: { ok: true, output: 'made', note: expect.stringContaining('denied') as string },
    });
    expect([await rig.text(), rig.held.size]).toEqual(['old\n', 0]);
  });

  it('[T102] is not repeated if the changes were lost with the process', async () => {
    const rig = await createHeldRig();
    const change = requestOf(await rig.call(answerTo(requestOf(await rig.call()))));
    rig.held.clear();
    expect(await rig.call(answerTo(change))).toMatchObject({ result: { error: { code: 'ENGINE_ABORTED' } } });
    expect(rig.runs).toEqual(['c']);
  });
});
