import { describe, expect, it, onTestFinished } from 'vitest';
import { createOpenAiChat } from '../llm/provider/openai-chat.ts';
import { type FakeProvider, startFakeProvider } from '../testing/models/fake-provider.ts';
import {
  cutAfter,
  drop,
  endAfter,
  eventsReply,
  hangAfterHeaders,
  hangBeforeHeaders,
  jsonReply,
  type ProviderReply,
  rawReply,
  stallAfter,
  statusReply,
  textReply,
  toolCallReply,
  wholeReply,
} from '../testing/models/provider-replies.ts';
import { finishArguments } from '../testing/models/scripted-model.ts';
import { branchingPackage } from '../testing/packages/branching-package.ts';
import { createRunRig, type RunRig } from '../testing/rigs/run-rig.ts';

const finish = (nodeId: string, next?: string): ProviderReply =>
  toolCallReply([{ name: 'fs_apply_patch', arguments: finishArguments(nodeId, next) }]);

const TO_THE_END = [
  finish('step-01', 'decide-02'),
  finish('decide-02', 'step-03'),
  finish('step-03', 'end-99'),
  finish('end-99'),
  textReply('All done.'),
];

async function rigWith(script: readonly ProviderReply[]): Promise<{ rig: RunRig; provider: FakeProvider }> {
  const provider = await startFakeProvider(script);
  onTestFinished(() => provider.close());
  const model = createOpenAiChat({
    settings: { provider: 'generic', baseUrl: provider.url, model: 'm' },
    apiKey: 'sk-test',
    timeouts: { firstByteMs: 1_000, idleMs: 1_000 },
    retry: { tries: 3, baseDelayMs: 1, random: () => 0 },
  });
  const rig = await createRunRig({ package: branchingPackage(), model });
  onTestFinished(() => model.close());
  return { rig, provider };
}

const write = {
  name: 'fs_write',
  arguments: { path: 'artifacts/a.md', content: 'A long text. '.repeat(40) },
};
const error = (message: string, code?: string) => ({ error: { message, code } });

describe('provider errors', () => {
  const passing: [title: string, issue: ProviderReply[]][] = [
    ['429 with Retry-After', [statusReply(429, error('slow down'), { 'retry-after': '0' })]],
    ['500, then 503', [statusReply(500, 'oops'), statusReply(503, '')]],
    ['a connection that drops', [drop(), drop()]],
    ['no response', [hangBeforeHeaders()]],
    ['headers and nothing more', [hangAfterHeaders()]],
    ['a stream that stalls', [stallAfter(toolCallReply([write]), 4)]],
    ['a stream cut in the middle of tool arguments', [cutAfter(toolCallReply([write]), 700)]],
    ['a stream that ends normally but incomplete', [endAfter(toolCallReply([write]), 6)]],
    ['a stream of garbage', [rawReply(['data: {"choices":[{]}\n\n'])]],
    ['empty choices', [eventsReply([{ choices: [] }])]],
    ['an error inside the stream', [eventsReply([error('overloaded')])]],
    ['an empty reply', [textReply('')]],
    [
      'one document instead of a stream',
      [wholeReply({ toolCalls: [{ name: 'fs_list', arguments: { path: '@project' } }] })],
    ],
    [
      'arguments that are no JSON',
      [toolCallReply([{ name: 'fs_write', arguments: '{"path": "artifacts/a.md", "con' }])],
    ],
    ['arguments that are a list', [toolCallReply([{ name: 'fs_write', arguments: '[1, 2]' }])]],
    [
      'deep arguments',
      [
        toolCallReply([
          { name: 'fs_write', arguments: `{"path":${'['.repeat(20_000)}${']'.repeat(20_000)}}` },
        ]),
      ],
    ],
    [
      'a tool that is not there',
      [toolCallReply([{ name: 'shell_exec', arguments: { command: 'rm -rf /' } }])],
    ],
    [
      'a call cut off by its length',
      [
        toolCallReply([{ name: 'fs_write', arguments: '{"path":"artifacts/a.md","content":"Half a te' }], {
          finishReason: 'length',
        }),
      ],
    ],
    [
      'calls without ids',
      [
        toolCallReply([
          { id: '', name: 'fs_list', arguments: { path: '@project' } },
          { id: '', name: 'fs_list', arguments: { path: '@pkg' } },
        ]),
      ],
    ],
    [
      'ids twice',
      [
        toolCallReply([
          { id: 'x', name: 'fs_list', arguments: { path: '@project' } },
          { id: 'x', name: 'fs_list', arguments: { path: '@pkg' } },
        ]),
      ],
    ],
    [
      'fifty calls',
      [
        toolCallReply(
          Array.from({ length: 50 }, (_, index) => ({
            name: 'fs_read',
            arguments: { path: `@project/${index}.md` },
          })),
        ),
      ],
    ],
  ];

  it.each(passing)('[L6] %s: the run completes', async (_, issue) => {
    const { rig, provider } = await rigWith([...issue, ...TO_THE_END]);
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(provider.violations).toEqual([]);
    expect(rig.bugs).toEqual([]);
  });

  it('[L6] an incomplete call is never executed', async () => {
    for (const issue of [cutAfter(toolCallReply([write]), 700), endAfter(toolCallReply([write]), 6)]) {
      const { rig } = await rigWith([issue, ...TO_THE_END]);
      await rig.engine.start();
      expect(rig.types()).not.toContain('artifact.written');
      expect(rig.eventsOf('llm.retry')).toHaveLength(1);
    }
  });

  const stopping: [title: string, issue: ProviderReply[], code: string][] = [
    ['401', [statusReply(401, error('bad key sk-test'))], 'LLM_AUTH_FAILED'],
    ['403', [statusReply(403, error('no'))], 'LLM_AUTH_FAILED'],
    ['400', [statusReply(400, error('no such parameter'))], 'LLM_HTTP_ERROR'],
    ['404', [statusReply(404, error('no such model'))], 'LLM_HTTP_ERROR'],
    ['429 without credit', [statusReply(429, error('no', 'insufficient_quota'))], 'LLM_OUT_OF_CREDIT'],
    [
      '429 permanently',
      Array.from({ length: 3 }, () => statusReply(429, error('slow down'))),
      'LLM_RATE_LIMITED',
    ],
    ['500 permanently', Array.from({ length: 3 }, () => statusReply(500, '')), 'LLM_HTTP_ERROR'],
    ['no response permanently', Array.from({ length: 3 }, () => hangBeforeHeaders()), 'LLM_TIMEOUT'],
    [
      'a web page',
      [{ status: 200, headers: { 'content-type': 'text/html' }, chunks: ['<html>'] }],
      'LLM_BAD_RESPONSE',
    ],
    ['a redirect', [statusReply(302, '', { location: 'http://127.0.0.1:1/v1' })], 'LLM_HTTP_ERROR'],
    ['an invalid document', [jsonReply({ hello: 'world' })], 'LLM_BAD_RESPONSE'],
  ];

  it.each(stopping)(
    '[L6] %s: the run waits with the reason, and completes after a resume',
    async (_, issue, code) => {
      const { rig, provider } = await rigWith([...issue, ...TO_THE_END]);
      const stop = await rig.engine.start();
      expect(stop).toMatchObject({ phase: 'WaitingUser', reason: { code } });
      expect(stop.reason?.message).toMatch(/^[^\n]{20,600}$/);
      expect(JSON.stringify(rig.events)).not.toContain('sk-test');
      expect(provider.requests).toHaveLength(issue.length);
      expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
      expect(provider.violations).toEqual([]);
    },
  );

  it('[L6] a context that is too large: one retry with less, then the run waits', async () => {
    const exceeded = statusReply(
      400,
      error("This model's maximum context length is 4096 tokens", 'context_length_exceeded'),
    );
    const { rig } = await rigWith([exceeded, ...TO_THE_END]);
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'CONTEXT_STILL_TOO_LARGE' } });
    expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
  });

  it.each([
    ['before headers', hangBeforeHeaders()],
    ['after headers', hangAfterHeaders()],
    ['during tool arguments', stallAfter(toolCallReply([write]), 4)],
    ['during a retry delay', statusReply(429, error('slow down'), { 'retry-after': '30' })],
  ])('[L7] a stop %s takes effect immediately', async (_, issue) => {
    const { rig, provider } = await rigWith([issue, ...TO_THE_END]);
    const isReached = new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        if (provider.requests.length === 0) return;
        clearInterval(timer);
        resolve();
      }, 1);
    });
    const runUntilIdle = rig.engine.start();
    await isReached;
    expect(await rig.engine.stop()).toMatchObject({ phase: 'WaitingUser', reason: { code: 'stopped' } });
    await runUntilIdle;
    expect(provider.requests).toHaveLength(1);
    expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
  });
});
