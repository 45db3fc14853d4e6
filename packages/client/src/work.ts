/**
 * A run or a conversation on a server: what it does, what it asks, and what a person decides.
 */
import { findAnswerIssue, parseAnswers } from '@crewagent/protocol/answers';
import { type ApiClient, ApiError, type StreamOptions } from '@crewagent/protocol/api/client';
import type { InputOf, ResponseOf } from '@crewagent/protocol/api/define-endpoint';
import type { Endpoints } from '@crewagent/protocol/api/endpoints';
import { pause } from '@crewagent/protocol/api/event-stream';
import {
  addWorkMessage,
  toWorkStory,
  type WorkMessage,
  type WorkSummary,
} from '@crewagent/protocol/api/work-messages';
import type { ItemOf, PendingItem } from '@crewagent/protocol/story/items';
import type { Story } from '@crewagent/protocol/story/story';
import { calledStory, toWorkItems, type WorkStory } from '@crewagent/protocol/story/work-story';

type Works = Endpoints['works'];
type ApproveBody = InputOf<Works['approve']>['body'];

/** Why a Work does nothing at the moment. */
export interface Stop {
  readonly phase: Exclude<WorkSummary['phase'], 'Running'>;
  readonly reason: WorkSummary['reason'];
  /** What it asks: for `answer`, `approve` or `deny`. */
  readonly pending: PendingItem | undefined;
  /** The last reply of the model. */
  readonly reply: string;
}

/** `decision`: default once. */
export interface ApprovalOptions extends Pick<ApproveBody, 'reach' | 'note'> {
  readonly decision?: Exclude<ApproveBody['decision'], 'no'>;
}

export interface Work {
  readonly workId: string;
  /** Messages of its own log, once and in order, also after the connection broke; called runs have logs of their own. */
  events(options?: StreamOptions & { readonly after?: number }): AsyncGenerator<WorkMessage, void>;
  /** Its own log as people see it, again after each message. The same object as long as no snapshot replaces it. */
  stories(options?: StreamOptions): AsyncGenerator<Story, void>;
  /** The whole Work with its runs, as it is now. */
  show(): Promise<WorkStory>;
  /** Resolves when it waits for a person, was stopped, or has ended. */
  wait(options?: Pick<StreamOptions, 'signal'>): Promise<Stop>;
  /** Answers a question, by the ids of its parts or with the text that a person typed. */
  answer(question: PendingItem, answers: Readonly<Record<string, unknown>> | string): Promise<void>;
  /** Approves what this approval shows; anything else is refused by the server. */
  approve(approval: PendingItem, options?: ApprovalOptions): Promise<void>;
  deny(approval: PendingItem, note?: string): Promise<void>;
  /** Sends a message, a command, or a choice from the menu. */
  say(text: string): Promise<void>;
  stop(): Promise<void>;
  resume(body?: InputOf<Works['resume']>['body']): Promise<void>;
  /** Mount paths of the files that it wrote and that are not undone, such as `@project/docs/plan.md`. */
  artifacts(): Promise<string[]>;
  /** The text of a file of its project. */
  read(path: string): Promise<string>;
  evidence(): Promise<ResponseOf<Works['evidence']>>;
}

export function createWork(api: ApiClient, workId: string): Work {
  const { works } = api;
  const events: Work['events'] = ({ after, ...options } = {}) =>
    works.events({ workId, query: after === undefined ? {} : { after: String(after) } }, options);
  const show = async (): Promise<WorkStory> => toWorkStory(await works.show({ workId }));

  return {
    workId,
    events,
    show,
    async *stories(options) {
      let known: WorkStory | undefined;
      for await (const message of events(options)) {
        known = addWorkMessage(known, message);
        yield known.own;
      }
    },
    wait: (options) => waitForStop(api, workId, options?.signal),
    async answer(pending, given) {
      const { callId, questions } = expectKind(pending, 'question');
      const answers = typeof given === 'string' ? parseAnswers(questions, given) : given;
      const issue = findAnswerIssue(questions, answers);
      if (issue) throw toUsageError(issue);
      accept(await works.answer({ workId, body: { callId, answers } }));
    },
    async approve(pending, { decision = 'once', ...options } = {}) {
      const { callId, action } = expectKind(pending, 'approval');
      const shown = await toSha256(action.preview.text);
      accept(await works.approve({ workId, body: { callId, decision, shown, ...options } }));
    },
    async deny(pending, note) {
      const { callId } = expectKind(pending, 'approval');
      accept(await works.approve({ workId, body: { callId, decision: 'no', note } }));
    },
    async say(text) {
      accept(await works.input({ workId, body: { text } }));
    },
    async stop() {
      accept(await works.stop({ workId }));
    },
    async resume(body = {}) {
      accept(await works.resume({ workId, body }));
    },
    async artifacts() {
      const { changes } = await works.changes({ workId });
      const last = new Map(
        changes.filter(({ undone }) => !undone).map((change) => [change.path, change.kind]),
      );
      return [...last].filter(([, kind]) => kind !== 'deleted').map(([path]) => path);
    },
    async read(path) {
      const { projectId } = (await works.show({ workId })).work;
      const file = await api.files.read({ projectId, query: { path } });
      if (file.isTooLarge || file.kind === 'binary') throw toUsageError(`"${path}" is not a text file.`);
      return file.text;
    },
    evidence: () => works.evidence({ workId }),
  };
}

/** The list of its project reports changes of phase, whatever run of the Work is active. */
async function waitForStop(api: ApiClient, workId: string, signal?: AbortSignal): Promise<Stop> {
  const first = await api.works.show({ workId });
  if (first.work.phase !== 'Running') return toStop(first);
  const closing = new AbortController();
  const options = { signal: signal ? AbortSignal.any([signal, closing.signal]) : closing.signal };
  try {
    for await (const message of api.projects.events({ projectId: first.work.projectId }, options)) {
      // A snapshot, which has one page, also comes after a break.
      if (message.type !== 'snapshot' && !(message.type.startsWith('work') && isOf(message.data, workId)))
        continue;
      const shown = await showUntilAnswered(api, workId, options.signal);
      if (shown.work.phase !== 'Running') return toStop(shown);
    }
  } finally {
    closing.abort();
  }
  signal?.throwIfAborted();
  throw toUsageError('The server ended the stream.');
}

/** The stream that reported a change goes on over broken connections; so does the request after it. */
async function showUntilAnswered(api: ApiClient, workId: string, signal: AbortSignal) {
  for (;;) {
    try {
      return await api.works.show({ workId }, { signal });
    } catch (error) {
      // `fetch` throws a TypeError if there is no connection.
      if (!(error instanceof ApiError ? error.isWorthRetrying : error instanceof TypeError)) throw error;
    }
    await pause(RETRY_MS, signal);
    signal.throwIfAborted();
  }
}

const RETRY_MS = 250;

function isOf(data: object, workId: string): boolean {
  return 'workId' in data && data.workId === workId;
}

function toStop(shown: ResponseOf<Works['show']>): Stop {
  const { phase, reason } = shown.work;
  if (phase === 'Running') throw new Error('A Work that runs has not stopped.');
  const story = toWorkStory(shown);
  const reply = toWorkItems(story).findLast(({ item }) => item.kind === 'reply')?.item as
    | ItemOf<'reply'>
    | undefined;
  return { phase, reason, pending: calledStory(story).pending, reply: reply?.text ?? '' };
}

function expectKind<Kind extends PendingItem['kind']>(pending: PendingItem, kind: Kind): ItemOf<Kind> {
  if (pending.kind !== kind) throw toUsageError(`It asks for another kind of decision: ${pending.kind}.`);
  return pending as ItemOf<Kind>;
}

/** What the server accepts and then cannot do has changed nothing. */
function accept({ refusal }: ResponseOf<Works['answer']>): void {
  if (refusal) throw new ApiError(409, refusal);
}

function toUsageError(message: string): ApiError {
  return new ApiError(0, { code: 'USAGE', message });
}

async function toSha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
