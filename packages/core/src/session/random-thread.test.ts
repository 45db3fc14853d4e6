import type { Story } from '@crewagent/protocol/story/story';
import { toWorkItems } from '@crewagent/protocol/story/work-story';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CrewError } from '../base/crew-error.ts';
import type { LLMAdapter } from '../llm/llm-adapter.ts';
import { cases } from '../testing/kill-points.ts';
import { call, createScriptedModel, finish, type ScriptLine } from '../testing/models/scripted-model.ts';
import { threadPackage } from '../testing/packages/thread-package.ts';
import { createDiskSessionRig, type DiskSessionRig } from '../testing/rigs/session-rig.ts';

const ASK = { questions: [{ id: 'key', prompt: 'Which?', type: 'text' }] };
const REPLIES: readonly ScriptLine[] = [
  'Fine.',
  call('fs_write', { path: '@project/notes.md', content: 'new' }),
  call('fs_write', { path: '@project/artifacts/a.md', content: 'new' }),
  call('fs_list', { path: '@project' }, { content: 'Let me look.' }),
  call('ui_ask_user', ASK),
  {
    calls: [
      { name: 'ui_ask_user', arguments: ASK },
      { name: 'fs_list', arguments: { path: '@project' } },
    ],
  },
  finish('step-01', 'end-99'),
  finish('end-99'),
  { kind: 'failed', error: { code: 'LLM_TIMEOUT', message: 'The model was too slow.', isRetryable: false } },
  'hang',
];

const LINES = ['', 'go', 'review', 'check', '1', '3', '4', '11', '11.1', 'lost', 'many\nand more'];
const COMMANDS = ['menu', 'stop', 'pause', 'resume', 'undo', 'allow', 'dismiss', 'help', 'context'];
type Act = (rig: DiskSessionRig) => Promise<unknown>;
const ACTS: Readonly<Record<string, Act>> = {
  answers: ({ session }) => session.answer({ key: 'this one' }),
  agrees: ({ session }) => session.approve({ decision: 'once' }),
  'agrees for longer': ({ session }) => session.approve({ decision: 'run' }),
  refuses: ({ session }) => session.approve({ decision: 'no', note: 'not now' }),
  'turns to Ann': ({ session, packageFolder }) => session.enterAgent({ package: packageFolder }),
  'turns to Bob': ({ session, packageFolder }) =>
    session.enterAgent({ package: packageFolder, agent: 'bob' }),
  'starts a workflow': ({ session, packageFolder }) => session.startWorkflow({ package: packageFolder }),
  'goes on': ({ session }) => session.resume(),
  stops: ({ session }) => session.stop(),
  'changes the model': ({ session }) => session.setModel({ model: 'other' }),
  ...Object.fromEntries(
    [...LINES, ...COMMANDS.map((name) => `/${name}`)].map((line): [string, Act] => [
      `types ${JSON.stringify(line)}`,
      ({ session }) => session.input(line),
    ]),
  ),
};
const SAYS = 'says something';
const REOPENS = 'opens it again';

/** Actions of a person, and whether they wait for the result. */
const steps = fc.array(
  fc.record({
    what: fc.constantFrom(...Object.keys(ACTS), ...Array.from({ length: 6 }, () => SAYS), REOPENS),
    isPatient: fc.boolean(),
  }),
  { minLength: 5, maxLength: 25 },
);
const replies = fc.array(fc.constantFrom(...REPLIES), { minLength: 40, maxLength: 40 });
const approval = fc.constantFrom('ask', 'autopilot');

it('[V34] any sequence of actions gives the same view live and after a reload, and loses no accepted input', async () => {
  await fc.assert(
    fc.asyncProperty(steps, replies, approval, async (acts, script, preset) => {
      const { model, isHanging } = createHangingModel(script);
      const settings = { tools: { approval: preset }, limits: { maxTurns: 6 } };
      let rig = await createDiskSessionRig({ package: threadPackage(), model, settings });
      const underWay = new Set<Promise<void>>();
      const accepted: string[] = [];
      const issues: unknown[] = [];
      const say = async (text: string): Promise<void> => {
        const { refusal } = await rig.session.input(text);
        if (!refusal) accepted.push(text);
      };
      const begin = (what: string, number: number): void => {
        const going = what === SAYS ? say(`dear friend number ${number} says`) : ACTS[what]?.(rig);
        const settled = Promise.resolve(going)
          .then(
            () => undefined,
            (error: unknown) => {
              if (!isRefusal(error)) issues.push(error);
            },
          )
          .finally(() => underWay.delete(settled));
        underWay.add(settled);
      };
      for (const [number, { what, isPatient }] of acts.entries()) {
        if (what !== REOPENS) begin(what, number);
        if (!isPatient && what !== REOPENS) continue;
        await untilQuiet(rig, underWay, isHanging);
        await expectSameAfterReload(rig);
        if (what === REOPENS) rig = await rig.reopen();
      }
      await untilQuiet(rig, underWay, isHanging);
      const reloaded = JSON.stringify([...(await expectSameAfterReload(rig))]);
      for (const text of accepted) expect(reloaded).toContain(text);
      for (const path of [rig.project, rig.store.root])
        expect(reloaded).not.toContain(JSON.stringify(path).slice(1, -1));
      await rig.session.close();
      expect([...issues, ...rig.bugs]).toEqual([]);
    }),
    cases(12),
  );
});

/** Repeats the script, and reports whether it has stopped answering. */
function createHangingModel(script: readonly ScriptLine[]): { model: LLMAdapter; isHanging: () => boolean } {
  const lineAt = (index: number): ScriptLine => script[index % script.length] ?? 'hang';
  const inner = createScriptedModel((_, index) => lineAt(index));
  let hanging = 0;
  const model: LLMAdapter = {
    ...inner,
    async chat(request, watch) {
      const isSilent = lineAt(inner.requests.length) === 'hang';
      if (isSilent) hanging++;
      try {
        return await inner.chat(request, watch);
      } finally {
        if (isSilent) hanging--;
      }
    },
  };
  return { model, isHanging: () => hanging > 0 };
}

/** Stops a turn that does not end. */
async function untilQuiet(
  { session }: DiskSessionRig,
  underWay: ReadonlySet<Promise<void>>,
  isHanging: () => boolean,
): Promise<void> {
  while (underWay.size > 0) {
    if (isHanging()) await session.stop();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** The timeline as stored on disk. */
async function expectSameAfterReload({ session, reload }: DiskSessionRig) {
  const { view } = await reload();
  const shown = toWorkItems(view);
  expect(toWorkItems(session.view)).toEqual(shown);
  expect(session.view.state).toEqual(view.state);
  expect(withoutTimeline(session.view.own)).toEqual(withoutTimeline(view.own));
  for (const [runId, run] of view.runs) {
    const live = session.view.runs.get(runId);
    expect(live && withoutTimeline(live)).toEqual(withoutTimeline(run));
  }
  // Either a run is active or the thread has a pending request; never both.
  if (view.state.activeRunId !== undefined) expect(view.own.pending).toBeUndefined();
  return shown;
}

function withoutTimeline({ timeline: _, ...view }: Story): Omit<Story, 'timeline'> {
  return view;
}

/** Errors of actions that do not fit the moment; any other error is a bug. */
function isRefusal(error: unknown): boolean {
  return error instanceof CrewError && ['RUN_NOT_READY', 'USAGE', 'AGENT_NOT_FOUND'].includes(error.code);
}
