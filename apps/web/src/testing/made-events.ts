/**
 * Synthetic events for cases that the rehearsal does not reach: rejected transitions, approvals, reasoning, errors, hostile text.
 */

import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import type { ReasonCode } from '@crewagent/protocol/reason-codes';

const START = Date.UTC(2026, 10, 15, 9, 30);

/** Numbers and dates the facts of a run, one second apart. */
export function toLog(runId: string, facts: readonly RunFact[]): RunEvent[] {
  let seq = 0;
  return facts.map((fact, index) => {
    const isDelta = /^(?:message\.delta|reasoning\.delta|tool\.progress)$/.test(fact.type);
    if (!isDelta) seq++;
    return { v: 1, seq, ts: new Date(START + index * 1_000).toISOString(), runId, ...fact } as RunEvent;
  });
}

export const RUN_ID = '01a1de9a-0000-7000-8000-000000000001';

export const runCreated: RunFact = {
  type: 'run.created',
  package: {
    name: 'hello-branch',
    version: '1.0.0',
    hash: '4b8431b93911467a537aec090c97bce25a923f808a71171bad08125cd5bfba2d',
  },
  workflow: { ref: 'workflow.md', title: 'Plan a project' },
  nodes: [
    { id: 'step-01-intake', title: 'Intake', type: 'step' },
    { id: 'decide-02-project-type', title: 'Decide the project type', type: 'decision' },
    { id: 'step-03a-greenfield', title: 'Plan a fresh start', type: 'step' },
    { id: 'step-03b-brownfield', title: 'Assess what exists', type: 'step' },
    { id: 'end-99', title: 'Summarise and close', type: 'end' },
  ],
  entryNodeId: 'step-01-intake',
  activeAgentId: 'analyst',
  model: {
    kind: 'provider',
    profile: 'deepseek',
    settings: { provider: 'deepseek', model: 'deepseek-chat' },
  },
  variables: {},
};

const REPLY = `I read the brief and the two meeting notes. **Larder** is a shared pantry list for a household; three things matter most:

1. Nobody buys what is already there.
2. It works in a shop with *no connection*.
3. Joining takes one code, not an account.

| Document | Says | Open |
|---|---|---|
| \`docs/brief.md\` | scope and audience | price |
| \`docs/notes.md\` | offline first | conflicts |

\`\`\`ts
export function merge(mine: Item[], theirs: Item[]): Item[] {
  return [...mine, ...theirs.filter(isNew)];
}
\`\`\`

More in the [specification](https://example.com/spec).`;

type Fact<Type> = Extract<RunFact, { type: Type }>;

const call = (id: string, name: string, args: unknown) => ({ id, name, arguments: JSON.stringify(args) });
const turn = (turnNumber: number, nodeId: string): Fact<'turn.started'> => ({
  type: 'turn.started',
  turn: turnNumber,
  nodeId,
  agentId: 'analyst',
  requestBytes: 12_000,
  estimatedTokens: 3_200,
});
const usage = (turnNumber: number): RunFact => ({
  type: 'usage.updated',
  turn: turnNumber,
  usage: { promptTokens: 3_150, completionTokens: 210, cachedTokens: 2_000, costUsd: 0.0021 },
  total: {
    promptTokens: 3_150 * turnNumber,
    completionTokens: 210 * turnNumber,
    cachedTokens: 0,
    costUsd: 0.0021 * turnNumber,
  },
});
const reply = (
  turnNumber: number,
  nodeId: string,
  content: string,
  toolCalls?: ReturnType<typeof call>[],
  reasoning?: string,
): RunFact => ({
  ...{ type: 'message.completed', turn: turnNumber, role: 'assistant', purpose: 'reply' },
  ...{ nodeId, content, toolCalls, reasoning },
});
const ended = (
  callId: string,
  name: string,
  answer: unknown,
  more?: Partial<Fact<'tool.ended'>>,
): RunFact => ({
  ...{ type: 'tool.ended', callId, name, outcome: 'ok', durationMs: 14, content: JSON.stringify(answer) },
  ...more,
});
/** The call did not work: `outcome` says whether it failed or was refused. */
const failed = (
  callId: string,
  name: string,
  error: { readonly code: string; readonly message: string },
  outcome: 'failed' | 'refused' = 'failed',
): RunFact => ended(callId, name, { ok: false, error }, { outcome, code: error.code });
const started = (callId: string, name: string, path: string): RunFact => ({
  ...{ type: 'tool.started', callId, name, path },
});
/** A turn that only patches the state document; what came of it follows. */
const patchesState = (turnNumber: number, nodeId: string, callId: string): RunFact[] => [
  turn(turnNumber, nodeId),
  reply(turnNumber, nodeId, '', [
    call(callId, 'fs.apply_patch', { path: '@state/workflow.md', patches: [] }),
  ]),
  started(callId, 'fs.apply_patch', '@state/workflow.md'),
];
const moved = (
  more: Pick<Fact<'state.changed'>, 'from' | 'to' | 'label' | 'variables' | 'sha256'> &
    Partial<Fact<'state.changed'>>,
): RunFact => ({
  ...{ type: 'state.changed', stepsAdded: [more.from], decisionsAdded: [], notes: [] },
  ...more,
});
const waits = (code: ReasonCode, message: string): RunFact => ({
  ...{ type: 'phase.changed', phase: 'WaitingUser', reason: { code, message } },
});
const RUNNING: RunFact = { type: 'phase.changed', phase: 'Running' };

const INTAKE = 'step-01-intake';
const DECIDE = 'decide-02-project-type';
const BROWNFIELD = 'step-03b-brownfield';

export const DIFF = `Index: @project/docs/plan.md
===================================================================
--- @project/docs/plan.md
+++ @project/docs/plan.md
@@ -1,6 +1,9 @@
 # Plan
 
-We start from nothing.
+We start from what exists: the pantry service of 2024.
 
 ## Scope
-- a list
+- a shared list
+- joining by code
+- offline first
`;

const ONLY_NEXT = 'From "step-01-intake" only "decide-02-project-type" (next) can follow.';
const SECRET = '"@project/.env" is a secret file; no tool touches it.';
const TO_BROWNFIELD = { from: DECIDE, to: BROWNFIELD, label: 'brownfield' };

/** Every kind of timeline item, up to a pending approval. */
export const eventful: readonly RunFact[] = [
  runCreated,
  RUNNING,
  turn(1, INTAKE),
  reply(
    1,
    INTAKE,
    'Let me look at what is there.',
    [
      call('c1', 'fs.list', { path: '@project' }),
      call('c2', 'fs.read', { path: '@project/docs/brief.md' }),
      call('c3', 'fs.read', { path: '@project/docs/notes.md' }),
      call('c4', 'fs.search', { pattern: 'offline', path: '@project' }),
    ],
    'The person wants a plan. First I need to know what documents exist.',
  ),
  usage(1),
  ...(['c1', 'c2', 'c3', 'c4'] as const).map(
    (id): RunFact =>
      ended(id, id === 'c1' ? 'fs.list' : id === 'c4' ? 'fs.search' : 'fs.read', {
        ok: true,
        content: '# Brief\n\nLarder is…',
      }),
  ),
  turn(2, INTAKE),
  reply(2, INTAKE, REPLY, [], 'Summarise, then ask.'),
  usage(2),
  waits('reply', 'The model waits.'),
  { type: 'input.queued', content: 'Good. There is also an old service from 2024; keep its data.' },
  RUNNING,
  { type: 'message.completed', role: 'user', purpose: 'input', nodeId: INTAKE, content: 'USER_INPUT' },
  turn(3, INTAKE),
  reply(3, INTAKE, '', [
    call('c5', 'fs.write', {
      path: '@project/artifacts/intake.md',
      content: '# Intake\n\nLarder, a shared pantry list.\n',
    }),
  ]),
  usage(3),
  started('c5', 'fs.write', '@project/artifacts/intake.md'),
  { type: 'artifact.written', path: '@project/artifacts/intake.md', nodeId: INTAKE },
  ended('c5', 'fs.write', { ok: true, path: '@project/artifacts/intake.md', bytesWritten: 40 }),
  ...patchesState(4, INTAKE, 'c6'),
  { type: 'transition.refused', from: INTAKE, to: 'end-99', message: ONLY_NEXT },
  failed('c6', 'fs.apply_patch', { code: 'E_INVALID_TRANSITION', message: ONLY_NEXT }),
  ...patchesState(5, INTAKE, 'c7'),
  moved({
    from: INTAKE,
    to: DECIDE,
    label: 'next',
    variables: { projectName: 'Larder', goal: 'A shared pantry list' },
    sha256: 'a',
  }),
  ended('c7', 'fs.apply_patch', { ok: true, diff: DIFF }),
  usage(5),
  ...patchesState(6, DECIDE, 'c8'),
  moved({
    ...TO_BROWNFIELD,
    variables: { projectType: 'brownfield' },
    decisionsAdded: [{ ...TO_BROWNFIELD, reason: 'You mentioned a service from 2024 whose data must stay.' }],
    sha256: 'b',
  }),
  ended('c8', 'fs.apply_patch', { ok: true, diff: DIFF }),
  usage(6),
  turn(7, BROWNFIELD),
  {
    type: 'llm.retry',
    turn: 7,
    attempt: 1,
    delayMs: 1_000,
    code: 'LLM_RATE_LIMITED',
    message: 'The provider answered 429; trying again in 1 s.',
  },
  reply(7, BROWNFIELD, 'The plan needs two changes.', [
    call('c9', 'fs.read', { path: '@project/.env' }),
    call('c10', 'fs.apply_patch', {
      path: '@project/docs/plan.md',
      patches: [{ operation: 'diff', diff: DIFF }],
    }),
  ]),
  usage(7),
  failed('c9', 'fs.read', { code: 'E_SANDBOX_VIOLATION', message: SECRET }, 'refused'),
  started('c10', 'fs.apply_patch', '@project/docs/plan.md'),
  {
    type: 'approval.requested',
    callId: 'c10',
    tool: 'fs.apply_patch',
    path: '@project/docs/plan.md',
    diff: DIFF,
  },
  waits('approval', 'A change needs your approval.'),
];

/** Questions of every type, pending. */
export const asking: readonly RunFact[] = [
  runCreated,
  RUNNING,
  turn(1, INTAKE),
  reply(1, INTAKE, 'A few questions before I begin.', [call('q1', 'ui.ask_user', {})]),
  started('q1', 'ui.ask_user', ''),
  {
    type: 'question.asked',
    callId: 'q1',
    questions: [
      { id: 'name', prompt: 'What is the project called?', type: 'text' },
      {
        id: 'kind',
        prompt: 'Which kind of project is it?',
        type: 'choice',
        options: ['Greenfield', 'Brownfield', 'Not sure'],
      },
      {
        id: 'parts',
        prompt: 'Which parts should the plan cover?',
        type: 'multi',
        options: ['Scope', 'Risks', 'Timeline'],
      },
      { id: 'go', prompt: 'May I write into docs/?', type: 'confirm' },
      {
        id: 'team',
        prompt: 'Who is on the team?',
        type: 'form',
        schema: {
          type: 'object',
          required: ['lead'],
          properties: {
            lead: { type: 'string', title: 'Lead', description: 'Full name' },
            size: { type: 'integer', title: 'People' },
            remote: { type: 'boolean', title: 'Works remotely' },
            level: { type: 'string', title: 'Experience', enum: ['new', 'some', 'much'] },
          },
        },
      },
    ],
  },
  waits('question', 'The model asked you something.'),
];

/** Hostile text, for every place where untrusted text is shown. */
export const HOSTILE =
  '<img src=x onerror="globalThis.wasHacked=1"><script>globalThis.wasHacked=1</script> ' +
  '![x](https://evil.example/pixel.png) [click](javascript:globalThis.wasHacked=1) \u202Egpj.exe\u202C \u200Bzero\u2060width ' +
  '\u001b[31mred\u001b[0m {{t}} $t(action.close) <iframe src="https://evil.example"></iframe>';

export const hostile: readonly RunFact[] = [
  {
    ...runCreated,
    package: { ...runCreated.package, name: HOSTILE },
    workflow: { ref: 'workflow.md', title: HOSTILE },
    nodes: runCreated.nodes.map((node) => ({ ...node, title: HOSTILE })),
  },
  RUNNING,
  { ...turn(1, INTAKE), agentId: HOSTILE },
  { type: 'input.queued', content: HOSTILE },
  { type: 'input.queued', content: HOSTILE, purpose: 'data', label: HOSTILE },
  reply(
    1,
    INTAKE,
    `${HOSTILE}\n\n${HOSTILE}`,
    [
      call('h1', 'fs.write', { path: `@project/${HOSTILE}`, content: HOSTILE }),
      { id: 'h2', name: HOSTILE, arguments: HOSTILE },
      call('h3', 'fs.search', { pattern: HOSTILE }),
    ],
    HOSTILE,
  ),
  { type: 'artifact.written', path: `@project/${HOSTILE}` },
  ended('h1', 'fs.write', { ok: true, diff: `--- a\n+++ b\n@@ -1 +1 @@\n-${HOSTILE}\n+${HOSTILE}` }),
  failed('h2', HOSTILE, { code: HOSTILE, message: HOSTILE }),
  { type: 'tool.ended', callId: 'h3', name: 'fs.search', outcome: 'ok', durationMs: 1, content: HOSTILE },
  { type: 'transition.refused', from: HOSTILE, to: HOSTILE, message: HOSTILE },
  moved({
    ...{ from: INTAKE, to: DECIDE, label: HOSTILE, variables: { [HOSTILE]: HOSTILE }, stepsAdded: [] },
    decisionsAdded: [{ from: INTAKE, to: DECIDE, label: HOSTILE, reason: HOSTILE }],
    notes: [HOSTILE],
    sha256: 'a',
  }),
  { type: 'warning', code: HOSTILE, message: HOSTILE },
  { type: 'error', code: 'STATE_DAMAGED', message: HOSTILE },
  {
    type: 'question.asked',
    callId: 'h4',
    questions: [
      { id: 'a', prompt: HOSTILE, type: 'choice', options: [HOSTILE] },
      {
        id: 'b',
        prompt: HOSTILE,
        type: 'form',
        schema: { properties: { [HOSTILE]: { title: HOSTILE, description: HOSTILE, enum: [HOSTILE] } } },
      },
    ],
  },
  waits(HOSTILE as ReasonCode, HOSTILE),
];

/** Turns of four events each. */
export function longLog(events: number): RunEvent[] {
  const turns = Array.from({ length: events / 4 }, (_, index): RunFact[] => {
    const [number, callId, path] = [index + 1, `c${index + 1}`, `@project/a${index + 1}.md`];
    return [
      turn(number, INTAKE),
      reply(number, INTAKE, `Turn ${number}.`, [call(callId, 'fs.write', { path, content: 'x' })]),
      started(callId, 'fs.write', path),
      ended(callId, 'fs.write', { ok: true }),
    ];
  });
  return toLog(RUN_ID, [runCreated, RUNNING, ...turns.flat()]);
}
