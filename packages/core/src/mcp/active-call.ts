/**
 * A call of a server's tool in progress. The server may ask a person in the middle of it: the call then stays in progress until the
 * answers arrive, or until it is cancelled.
 */
import type { Answers } from '@crewagent/protocol/answers';
import type { Question, ToolProgress } from '@crewagent/protocol/tools';
import type { ElicitRequestFormParams, ElicitResult, Progress } from '@modelcontextprotocol/client';
import type { McpConnection } from './connection.ts';
import { findSecret, toElicitResult, toQuestions } from './elicitation.ts';

export type ActiveCall = ReturnType<typeof startCall>;

export interface ActiveCallOptions {
  readonly server: string;
  readonly connection: McpConnection;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Otherwise questions of the server are declined. */
  readonly mayAsk: boolean;
  /** The server asked for something that looks like a secret, which was declined. */
  onSecretDeclined(field: string): void;
}

export function startCall(options: ActiveCallOptions) {
  const { server, connection, name, args, mayAsk, onSecretDeclined } = options;
  const controller = new AbortController();
  let asked: ((questions: readonly Question[]) => void) | undefined;
  let waiting: { readonly form: ElicitRequestFormParams; resolve(result: ElicitResult): void } | undefined;
  let pending: readonly Question[] | undefined;

  const onElicit = (form: ElicitRequestFormParams): Promise<ElicitResult> => {
    const secret = findSecret(form);
    if (secret !== undefined) {
      onSecretDeclined(secret);
      return Promise.resolve({ action: 'decline' });
    }
    const questions = mayAsk && !waiting ? toQuestions(server, form) : undefined;
    if (!questions) return Promise.resolve({ action: 'decline' });
    return new Promise((resolve) => {
      waiting = { form, resolve };
      if (asked) asked(questions);
      else pending = questions;
    });
  };
  let listener: ((progress: ToolProgress) => void) | undefined;
  const progress = throttleProgress((report) => listener?.(report));
  const result = connection.call(name, { ...args }, controller.signal, {
    onElicit,
    onProgress: (report) => progress.push(toToolProgress(report, connection)),
  });
  // It may fail while a person is asked.
  result.catch(() => undefined);

  return {
    /** Until the result, or the next question. Aborting cancels the call. */
    async wait(signal: AbortSignal, onProgress?: (progress: ToolProgress) => void) {
      listener = onProgress;
      const onAbort = (): void => controller.abort();
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      try {
        const question = new Promise<readonly Question[]>((resolve) => {
          if (pending) resolve(pending);
          pending = undefined;
          asked = resolve;
        });
        return await Promise.race([
          result.then((value) => ({ kind: 'result', result: value }) as const),
          question.then((questions) => ({ kind: 'question', questions }) as const),
        ]);
      } finally {
        asked = undefined;
        listener = undefined;
        progress.stop();
        signal.removeEventListener('abort', onAbort);
      }
    },
    /** Answers of a person to the last question. */
    answer(answers: Answers) {
      const { form, resolve } = waiting ?? {};
      waiting = undefined;
      if (form) resolve?.(toElicitResult(form, answers));
    },
    cancel: () => controller.abort(),
  };
}

const MAX_MESSAGE_CHARS = 200;

function toToolProgress({ progress, total, message }: Progress, connection: McpConnection): ToolProgress {
  const shown = connection.hide(message ?? '').replace(/\p{C}+/gu, ' ');
  return { progress, total, message: shown.trim().slice(0, MAX_MESSAGE_CHARS) || undefined };
}

const PROGRESS_EVERY_MS = 250;

/** Passes on the first report at once, then at most one per interval: the latest. */
function throttleProgress(report: (progress: ToolProgress) => void) {
  let timer: NodeJS.Timeout | undefined;
  let latest: ToolProgress | undefined;
  const next = (): void => {
    timer = undefined;
    if (!latest) return;
    report(latest);
    latest = undefined;
    timer = setTimeout(next, PROGRESS_EVERY_MS);
  };
  return {
    push(progress: ToolProgress) {
      latest = progress;
      if (!timer) next();
    },
    stop() {
      clearTimeout(timer);
      timer = latest = undefined;
    },
  };
}
