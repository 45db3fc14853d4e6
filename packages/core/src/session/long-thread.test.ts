import { describe, expect, it } from 'vitest';
import { requestBytes } from '../llm/serialise.ts';
import type { ChatRequest } from '../llm/wire.ts';
import { findProtocolIssue } from '../prompt/check-protocol.ts';
import {
  call,
  createScriptedModel,
  finish,
  type Script,
  type ScriptedModel,
  type ScriptLine,
} from '../testing/models/scripted-model.ts';
import { threadPackage } from '../testing/packages/thread-package.ts';
import { createSessionRig, type SessionRig, type SessionRigOptions } from '../testing/rigs/session-rig.ts';

const CONTEXT_TOKENS = 8_000;
/** The estimate for providers that do not count tokens. */
const BYTES_PER_TOKEN = 3.6;
const KILOBYTE = 'All work and no play makes a dull reply. '.repeat(25);

const lastOf = (request: ChatRequest | undefined): string => String(request?.messages.at(-1)?.content);
const tokensOf = (request: ChatRequest): number => requestBytes(request) / BYTES_PER_TOKEN;

async function openThread(
  script: Script,
  more: Partial<SessionRigOptions> = {},
  contextTokens = CONTEXT_TOKENS,
) {
  const model = createScriptedModel(script, { contextTokens });
  return { model, rig: await createSessionRig({ package: threadPackage(), model, kind: 'chat', ...more }) };
}

function expectSound(requests: readonly ChatRequest[]): void {
  for (const request of requests) {
    expect(findProtocolIssue(request)).toBeUndefined();
    expect(tokensOf(request)).toBeLessThanOrEqual(CONTEXT_TOKENS);
  }
}

const FAILED = {
  kind: 'failed',
  error: { code: 'LLM_TIMEOUT', message: 'gone', isRetryable: false },
} as const;

/** Another process retries unanswered input. */
async function expectSameAfterRestart(rig: SessionRig, model: ScriptedModel): Promise<void> {
  await rig.session.input(UNANSWERED);
  const again = createScriptedModel(['Still here.'], { contextTokens: CONTEXT_TOKENS });
  const reopened = await rig.reopen(again);
  expect((await reopened.session.resume()).reason?.code).toBe('reply');
  expect(again.requests).toEqual([model.requests.at(-1)]);
}

const UNANSWERED = 'Are you there?';
const answering =
  (script: (index: number) => ScriptLine) =>
  (request: ChatRequest, index: number): ScriptLine =>
    lastOf(request).endsWith(UNANSWERED) ? FAILED : script(index);

const outcomesOf = (rig: SessionRig): string[] =>
  rig.eventsOf('context.compacted').map(({ outcome }) => outcome);

describe('a long thread', () => {
  it('[P6] is answered to the end, and a restart makes no difference', async () => {
    const { model, rig } = await openThread(answering((index) => `Answer ${index + 1}. ${KILOBYTE}`));
    for (let turn = 1; turn <= 300; turn++) {
      const { reason } = await rig.session.input(`Question ${turn}?`);
      expect(reason?.code).toBe('reply');
      expect(lastOf(model.requests.at(-1)).endsWith(`USER_INPUT\nQuestion ${turn}?`)).toBe(true);
    }
    expect(model.requests).toHaveLength(300);
    expectSound(model.requests);
    const compactions = rig.eventsOf('context.compacted');
    expect(new Set(outcomesOf(rig))).toEqual(new Set(['effective']));
    expect(compactions.length).toBeGreaterThan(10);
    expect(compactions.length).toBeLessThan(100);
    for (const { exchanges, tokensAfter } of compactions) {
      expect(exchanges).toBeGreaterThan(0);
      expect(tokensAfter).toBeLessThan(CONTEXT_TOKENS * 0.65);
    }
    const contents = model.requests.at(-1)?.messages.map(({ content }) => String(content)) ?? [];
    expect(contents[1]).toMatch(/^EARLIER_MESSAGES\n- \(earlier messages omitted\)\n- /);
    expect(contents.join('\n').match(/EARLIER_MESSAGES/g)).toHaveLength(1);
    for (const turn of [297, 298, 299]) expect(contents).toContain(`Answer ${turn}. ${KILOBYTE}`);

    await expectSameAfterRestart(rig, model);
  });

  it('[P6] compacts tool groups for many turns at once', async () => {
    const { model, rig } = await openThread(
      answering((index) =>
        index % 2 === 0 ? call('fs_read', { path: 'README.md' }) : `Answer. ${KILOBYTE}`,
      ),
      { kind: 'agent', project: { 'README.md': 'A line of the readme.\n'.repeat(40) } },
    );
    for (let turn = 1; turn <= 60; turn++) {
      const { reason } = await rig.session.input(`Where does it say ${turn}?`);
      expect(reason?.code).toBe('reply');
    }
    expectSound(model.requests);
    expect(new Set(outcomesOf(rig))).toEqual(new Set(['effective']));
    expect(outcomesOf(rig).length).toBeLessThan(30);
    await expectSameAfterRestart(rig, model);
  });

  it('[P6] keeps both ends of a long message', async () => {
    const { model, rig } = await openThread(() => KILOBYTE);
    for (let turn = 1; turn <= 10; turn++) await rig.session.input(`Question ${turn}?`);
    const { reason } = await rig.session.input(`Read this: ${'blah '.repeat(20_000)} What is it about?`);
    expect(reason?.code).toBe('reply');
    expectSound(model.requests);
    expect(lastOf(model.requests.at(-1))).toMatch(/USER_INPUT\nRead this: blah[\s\S]*What is it about\?$/);
  });
});

describe('a completed run', () => {
  it('[P6] can be discussed without limit', async () => {
    const closing = [finish('step-01', 'end-99'), finish('end-99'), 'All done.'];
    const { model, rig } = await openThread((_, index) => closing[index] ?? `Answer ${index}. ${KILOBYTE}`, {
      kind: 'agent',
    });
    await rig.session.input('go');
    for (let turn = 1; turn <= 40; turn++) {
      const { mode, phase } = await rig.session.input(`What of part ${turn}?`);
      expect({ mode, phase }).toEqual({ mode: 'run', phase: 'Completed' });
      expect(lastOf(model.requests.at(-1)).endsWith(`USER_INPUT\nWhat of part ${turn}?`)).toBe(true);
    }
    expectSound(model.requests);
    expect(String(model.requests.at(-1)?.messages[1]?.content)).toMatch(
      /^EARLIER_NODES\n[\s\S]*\n\nRUN_DIRECTIVE\n[\s\S]*\n\nEARLIER_MESSAGES\n/,
    );
  });
});

describe('a node with many messages', () => {
  it('[P6] keeps the text of its step in the request', async () => {
    const { model, rig } = await openThread((_, index) => `Answer ${index}. ${KILOBYTE}`, { kind: 'agent' });
    await rig.session.input('go');
    for (let turn = 1; turn <= 40; turn++) {
      // Longer than what outlines of the replies can save.
      const { mode, reason } = await rig.session.input(`What of part ${turn}? ${KILOBYTE}`);
      expect({ mode, code: reason?.code }).toEqual({ mode: 'run', code: 'reply' });
    }
    expectSound(model.requests);
    const texts = model.requests.map(({ messages }) => messages.map(({ content }) => content).join('\n\n'));
    expect(texts.at(-1)).toContain('EARLIER_MESSAGES\n');
    for (const text of texts) expect(text.match(/^STEP_FILE @pkg\/steps\/step-01\.md$/gm)).toHaveLength(1);
  });
});

describe('a model with a context that is almost too small', () => {
  /** Token count of the first request of a thread. */
  const sizeOfFirst = async (): Promise<number> => {
    const { model, rig } = await openThread(['Yes.']);
    await rig.session.input('Hi?');
    const [first] = model.requests;
    return first ? tokensOf(first) : 0;
  };

  it('[P6] is warned once that nothing can be compacted, not at each turn', async () => {
    const contextTokens = Math.round((await sizeOfFirst()) / 0.84);
    const { model, rig } = await openThread((_, index) => (index < 3 ? FAILED : 'Yes.'), {}, contextTokens);
    await rig.session.input('Hi?');
    await rig.session.resume();
    const again = await rig.reopen();
    await again.session.resume();
    expect((await again.session.resume()).reason?.code).toBe('reply');
    expect(model.requests).toHaveLength(4);
    expect([...outcomesOf(rig), ...outcomesOf(again)]).toEqual(['noop']);
  });

  it('[P6] stops with advice for a thread if a request cannot fit, and loses nothing', async () => {
    const { model, rig } = await openThread(() => 'Yes.');
    for (let turn = 1; turn <= 6; turn++) await rig.session.input(`Question ${turn}?`);
    const tiny = createScriptedModel([], { contextTokens: 1_000 });
    const small = await rig.reopen(tiny);
    const { phase, reason } = await small.session.input('And now?');
    expect({ phase, code: reason?.code }).toEqual({ phase: 'WaitingUser', code: 'CONTEXT_STILL_TOO_LARGE' });
    expect(reason?.message).toMatch(/; choose a model with a larger context, or start a new conversation\.$/);
    expect(small.eventsOf('context.compacted')).toMatchObject([{ outcome: 'failed', groups: 0 }]);
    const large = await small.reopen(model);
    await large.session.input('Better?');
    const contents = model.requests
      .at(-1)
      ?.messages.map(({ content }) => String(content))
      .join('\n');
    for (let turn = 1; turn <= 6; turn++) expect(contents).toContain(`USER_INPUT\nQuestion ${turn}?`);
  });
});
