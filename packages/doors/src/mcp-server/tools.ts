/**
 * The tools that a host's model calls. Those that work on a run make calls of its built-in tools, so that the gate, the checks and
 * the log are the same as for our own models.
 */
import { type HostedRun, showWork } from '@crewagent/core';
import { FOR_ALL } from '@crewagent/protocol/answers';
import { isObject } from '@crewagent/protocol/json-object';
import { STATE_DOCUMENT } from '@crewagent/protocol/tool-effects';
import type { Tool } from '@modelcontextprotocol/server';
import { type Form, toAnswers, toForm } from './forms.ts';
import { WAIVE_TEXTS } from './texts.ts';
import {
  onRun,
  requireObject,
  requireText,
  runOf,
  type ToolCall,
  type ToolParts,
  type ToolReply,
  withoutRun,
} from './tool-call.ts';
import {
  afterAnswer,
  refusal,
  text,
  toBrief,
  toChatQuestion,
  toNews,
  toReply,
  toState,
  toStop,
} from './tool-replies.ts';

export interface DoorTool {
  readonly name: string;
  readonly description: string;
  readonly isReadOnly: boolean;
  readonly inputSchema: InputSchema;
  /** Only where the host shows no forms. */
  readonly isForChat?: boolean;
  run(call: ToolCall, parts: ToolParts): Promise<ToolReply>;
}

type InputSchema = Tool['inputSchema'];
type Properties = NonNullable<InputSchema['properties']>;
type Property = Properties[string];

const RUN = { run: { type: 'string', description: 'Id of the run; not needed if one is open.' } };
const object = (properties: Properties, required: string[] = []): InputSchema => ({
  type: 'object',
  properties,
  required,
});

const part = (properties: Properties, required: string[]): Property => ({
  type: 'object',
  properties,
  required,
});

export const DOOR_TOOLS: readonly DoorTool[] = [
  {
    name: 'list_workflows',
    description: 'Lists the workflows that can be started, and the runs of this project.',
    isReadOnly: true,
    inputSchema: object({}),
    run: listWorkflows,
  },
  {
    name: 'start_workflow',
    description: "Starts a workflow in the host's project folder, and returns the brief of its first step.",
    isReadOnly: false,
    inputSchema: object(
      {
        package: { type: 'string', description: 'As listed by list_workflows.' },
        workflow: { type: 'string', description: 'Default: the main one of the package.' },
        inputs: { type: 'object', description: 'Answers to the questions of the workflow, by name.' },
      },
      ['package'],
    ),
    run: startWorkflow,
  },
  {
    name: 'resume_workflow',
    description:
      'Continues a run of this project where it is, and returns its brief. Default: the last one that is not complete.',
    isReadOnly: false,
    inputSchema: object(RUN),
    run: resumeWorkflow,
  },
  {
    name: 'current_brief',
    description: 'The brief of the current step again, with its text.',
    isReadOnly: true,
    inputSchema: object(RUN),
    run: (call, parts) => onRun(call, parts, async (run) => toBrief(run, call, await run.untilIdle())),
  },
  {
    name: 'complete_node',
    description:
      'Leaves the current node along one edge. Refused, with what is missing, until everything that the step must prove is there.',
    isReadOnly: false,
    inputSchema: object(
      {
        nodeId: { type: 'string' },
        next: { type: 'string', description: 'One of allowedNext; omitted at an end node.' },
        variables: { type: 'object' },
        decision: part({ label: { type: 'string' }, reason: { type: 'string' } }, ['label']),
        carry: { type: 'string', description: 'A note for later nodes; the person sees it.' },
        ...RUN,
      },
      ['nodeId'],
    ),
    run: (call, parts) =>
      makeCall(call, parts, () => ({ name: 'runtime.complete_node', args: withoutRun(call) })),
  },
  {
    name: 'set_variables',
    description: 'Sets variables of the run without leaving the node.',
    isReadOnly: false,
    inputSchema: object({ variables: { type: 'object' }, ...RUN }, ['variables']),
    run: setVariables,
  },
  {
    name: 'read_file',
    description:
      'Reads a file of @pkg, @state or @project. A file that a step must have read is read with this.',
    isReadOnly: true,
    inputSchema: object(
      { path: { type: 'string' }, startLine: { type: 'integer' }, endLine: { type: 'integer' }, ...RUN },
      ['path'],
    ),
    run: (call, parts) => makeCall(call, parts, () => ({ name: 'fs.read', args: withoutRun(call) })),
  },
  {
    name: 'ask_person',
    description: 'Asks the person, and waits for the answer. Without questions, asks the pending one again.',
    isReadOnly: false,
    inputSchema: object({
      body: { type: 'string', description: 'Markdown above the questions.' },
      questions: {
        type: 'array',
        items: part(
          {
            id: { type: 'string' },
            prompt: { type: 'string' },
            type: { type: 'string', enum: ['text', 'choice', 'multi', 'confirm'] },
            options: { type: 'array', items: { type: 'string' } },
          },
          ['id', 'prompt', 'type'],
        ),
      },
      ...RUN,
    }),
    run: askPerson,
  },
  {
    name: 'report_answer',
    description:
      'Passes on, word for word, what the person replied in your own chat. Recorded as claimed, not proved.',
    isReadOnly: false,
    isForChat: true,
    inputSchema: object(
      {
        text: { type: 'string', description: 'Exactly what the person said.' },
        answers: { type: 'object', description: 'Answers by id of the question, instead of one text.' },
        ...RUN,
      },
      ['text'],
    ),
    run: reportAnswer,
  },
  {
    name: 'waive',
    description:
      'Asks the person whether the step may be left although something is missing. Only the person decides, and says why.',
    isReadOnly: false,
    inputSchema: object({
      check: { type: 'string', description: 'What is missing; default: everything.' },
      ...RUN,
    }),
    run: waive,
  },
  {
    name: 'workflow_state',
    description: 'Where the run is: node, completed steps, variables, artifacts, what it waits for.',
    isReadOnly: true,
    inputSchema: object(RUN),
    run: showState,
  },
  {
    name: 'pause_workflow',
    description: 'Stops driving the run here, so that it can be continued elsewhere. Nothing is lost.',
    isReadOnly: false,
    inputSchema: object(RUN),
    async run(call, { openRuns }) {
      const handle = await openRuns.find(runOf(call), call.project);
      await openRuns.release(handle);
      return text(
        `Paused. Continue it with resume_workflow, on the page, or with: crewagent resume ${handle.runId}`,
      );
    },
  },
];

async function listWorkflows({ project }: ToolCall, { catalogue, listRuns }: ToolParts): Promise<ToolReply> {
  const packages = await catalogue.list();
  const workflows = packages.flatMap(({ name, version, isExample, loaded }) => [
    `${name} ${version}${isExample ? ' (example)' : ''}: ${loaded.manifest.description ?? ''}`.trim(),
    ...loaded.workflows.map(
      ({ ref, title, description, typedInputs }) =>
        `  - workflow ${JSON.stringify(ref)}: ${title}${description ? `. ${description}` : ''}${
          typedInputs.length > 0 ? ` (inputs: ${typedInputs.map((input) => input.name).join(', ')})` : ''
        }`,
    ),
  ]);
  const runs = (await listRuns(project)).map(({ line }) => `  - ${line}`);
  return text(
    [
      'WORKFLOWS',
      ...(workflows.length > 0 ? workflows : ['none; install one with: crewagent packages add']),
      ...(runs.length > 0 ? ['', 'RUNS OF THIS PROJECT', ...runs] : []),
    ].join('\n'),
  );
}

async function startWorkflow(call: ToolCall, { openRuns, catalogue }: ToolParts): Promise<ToolReply> {
  const { package: name, workflow, inputs } = call.args;
  const values = inputs === undefined ? undefined : requireObject(inputs, 'inputs');
  const handle = await openRuns.start({
    ...call.project,
    package: await catalogue.resolve(requireText(name, 'package')),
    workflow: workflow === undefined ? undefined : requireText(workflow, 'workflow'),
    given: values ? { values } : {},
  });
  return handle.use(async (run) => toBrief(run, call, await run.untilIdle()));
}

async function resumeWorkflow(call: ToolCall, { openRuns, listRuns }: ToolParts): Promise<ToolReply> {
  const ref = runOf(call) ?? (await listRuns(call.project)).find(({ isComplete }) => !isComplete)?.runId;
  const handle = await openRuns.find(ref, call.project);
  return handle.use(async (run) => {
    const rest = await run.untilIdle();
    const isStuck = rest.kind === 'stopped' && rest.stop.phase !== 'Completed' && !run.engine.pending;
    return toBrief(run, call, isStuck ? await run.resume() : rest);
  });
}

function setVariables(call: ToolCall, parts: ToolParts): Promise<ToolReply> {
  const update = { variables: { set: requireObject(call.args.variables, 'variables') } };
  const patch = { path: STATE_DOCUMENT, patches: [{ operation: 'updateFrontmatter', update }] };
  return makeCall(call, parts, ({ record }) =>
    record.tools.strictState
      ? { name: 'runtime.update_state', args: { patch: update } }
      : { name: 'fs.apply_patch', args: patch },
  );
}

async function askPerson(call: ToolCall, parts: ToolParts): Promise<ToolReply> {
  return onRun(call, parts, async (run) => {
    if (!run.engine.pending) {
      const rest = await run.untilIdle();
      if (rest.kind === 'stopped') return toStop(run, rest);
      const made = await run.call('ui.ask_user', withoutRun(call));
      if (made.ended) return toReply(made, run, call);
    }
    const { pending } = run.engine;
    if (pending?.kind !== 'question') return toStop(run, await run.untilIdle());
    const { questions, callId } = pending;
    if (!call.asksPerson) return text(toChatQuestion(questions));
    const reply = call.reply(callId);
    if (!reply) return { kind: 'form', key: callId, form: toForm(questions) };
    if (!reply.content)
      return text('The person did not answer. The question stays open: do not go on, and ask again later.');
    return afterAnswer(run, call, await run.answer(toAnswers(questions, reply.content)));
  });
}

/** Words of the person that the host's model passes on. Where the host shows forms, the person speaks for themselves. */
async function reportAnswer(call: ToolCall, parts: ToolParts): Promise<ToolReply> {
  if (call.asksPerson) return refusal('This host can show forms: ask with ask_person.');
  const said = requireText(call.args.text, 'text');
  const { answers } = call.args;
  return onRun(call, parts, async (run) => {
    const { pending } = run.engine;
    if (pending?.kind === 'question')
      return afterAnswer(
        run,
        call,
        await run.answer(isObject(answers) ? answers : { [FOR_ALL]: said }, 'claimed'),
      );
    return toNews(run, call, await run.say(said, 'claimed'));
  });
}

async function waive(call: ToolCall, parts: ToolParts): Promise<ToolReply> {
  const check = call.args.check === undefined ? undefined : requireText(call.args.check, 'check');
  return onRun(call, parts, async (run) => {
    const { refusal: refused } = run.active.memory.visit;
    if (!refused) return refusal('Nothing was refused in this step: call complete_node first.');
    if (!call.asksPerson)
      return refusal(
        `Only the person can do that, and this host cannot ask them. Pause the workflow (pause_workflow) and let them run: crewagent waive ${run.record.workId} --reason TEXT`,
      );
    const key = `waive ${check ?? ''} ${refused.message}`;
    const reply = call.reply(key);
    if (!reply) return { kind: 'form', key, form: toWaiveForm(refused.message, parts) };
    const reason = reply.content?.reason;
    if (typeof reason !== 'string' || reason.trim() === '')
      return refusal('The person did not accept the step without it. Provide what is missing.');
    return toNews(run, call, await run.waive({ check, reason }));
  });
}

function toWaiveForm(missing: string, { language }: ToolParts): Form {
  const { title, reason } = WAIVE_TEXTS[language];
  return {
    message: `${title}\n\n${missing}`,
    requestedSchema: {
      type: 'object',
      properties: { reason: { type: 'string', title: reason } },
      required: ['reason'],
    },
  };
}

function makeCall(
  call: ToolCall,
  parts: ToolParts,
  toCall: (run: HostedRun) => { readonly name: string; readonly args: object },
): Promise<ToolReply> {
  return onRun(call, parts, async (run) => {
    const idle = await run.untilIdle();
    if (idle.kind === 'stopped') return toStop(run, idle);
    const { name, args } = toCall(run);
    return toReply(await run.call(name, args), run, call);
  });
}

/** Of a run that is not open here, as it is stored: who only looks does not drive it. */
async function showState(call: ToolCall, { openRuns, runtime: { store } }: ToolParts): Promise<ToolReply> {
  const ref = runOf(call);
  const handle =
    ref === undefined ? await openRuns.find(ref, call.project) : openRuns.opened(ref, call.project);
  if (handle)
    return handle.use(async (run) => {
      const idle = await run.untilIdle();
      const { memory, pending } = run.engine;
      const stop = idle.kind === 'turn' ? { phase: 'Running' as const } : idle.stop;
      return text(toState(run.record, { ...stop, state: memory.state, pending }));
    });
  const { record, view } = await showWork(store, await openRuns.locate(ref ?? '', call.project));
  return text(toState(record, view.own));
}
