/** The person in a test: says what the test has them say, each answer once, and otherwise what a person in a rehearsal says. */
import { isObject } from '@crewagent/protocol/json-object';
import type { TestAnswer } from '@crewagent/protocol/package-tests';
import { toStatus } from '@crewagent/protocol/status';
import type { Question } from '@crewagent/protocol/tools';
import type { ExecutionEngine } from '../engine/execution-engine.ts';
import type { StopPoint } from '../engine/stop-point.ts';
import { type Respond, toAnswers } from '../rehearse/person.ts';

export interface ScriptedPerson {
  readonly respond: Respond;
  /** Answers that nobody has asked for. */
  unused(): readonly TestAnswer[];
  /** What was asked and has no answer. */
  unanswered(): readonly string[];
}

export interface ScriptedPersonOptions {
  readonly answers: readonly TestAnswer[];
  /** Answers what the test has no answer for; otherwise nobody does. */
  readonly otherwise: Respond | undefined;
}

export function createScriptedPerson({ answers, otherwise }: ScriptedPersonOptions): ScriptedPerson {
  const left = [...answers];
  const unanswered: string[] = [];
  const take = (fits: (answer: TestAnswer) => boolean): TestAnswer | undefined => {
    const index = left.findIndex(fits);
    return index === -1 ? undefined : left.splice(index, 1)[0];
  };
  return {
    unused: () => left,
    unanswered: () => unanswered,
    async respond(engine, stop, seen) {
      const asked = toAsked(engine, stop, seen.lastReply);
      if (asked) {
        const answer = take((candidate) => fits(candidate, asked));
        if (answer) return asked.reply(answer);
        if (!otherwise) unanswered.push(`${asked.nodeId}: ${asked.words}`);
      }
      return otherwise?.(engine, stop, seen);
    },
  };
}

interface Asked {
  readonly nodeId: string;
  /** Which of the answers can be given. */
  readonly takes: readonly ('say' | 'answer' | 'approve')[];
  readonly words: string;
  reply(answer: TestAnswer): Promise<StopPoint>;
}

function fits({ node, asked: words, say, answer, approve }: TestAnswer, asked: Asked): boolean {
  const kind = say !== undefined ? 'say' : approve !== undefined ? 'approve' : 'answer';
  return (
    (kind !== 'answer' || answer !== undefined) &&
    asked.takes.includes(kind) &&
    (node === undefined || node === asked.nodeId) &&
    (words === undefined || asked.words.toLowerCase().includes(words.toLowerCase()))
  );
}

/** What the run waits for; undefined if it is nothing that somebody can answer. */
function toAsked(engine: ExecutionEngine, stop: StopPoint, lastReply: string): Asked | undefined {
  const { pending } = engine;
  const nodeId = engine.memory.state.currentNodeId;
  if (pending?.kind === 'approval') {
    return {
      nodeId,
      takes: ['approve'],
      words: JSON.stringify(pending),
      reply: ({ approve }) => engine.approve({ decision: approve ? 'once' : 'no' }),
    };
  }
  if (pending?.kind === 'question') {
    const { questions } = pending;
    return {
      nodeId,
      takes: ['answer', 'say'],
      words: questions.map(({ id, prompt }) => `${id} ${prompt}`).join('\n'),
      reply: ({ answer, say }) => engine.answer(toAnswers(questions, forQuestions(questions, answer ?? say))),
    };
  }
  if (toStatus(stop).kind !== 'reply') return undefined;
  return {
    nodeId,
    takes: ['say', 'answer'],
    words: lastReply,
    reply: ({ say, answer }) => engine.say(say ?? toMessage(answer)),
  };
}

/** Values for other names than those of the questions, as the answer to the only one. */
function forQuestions(questions: readonly Question[], answer: unknown): unknown {
  const ids = new Set(questions.map(({ id }) => id));
  const [only, ...others] = questions;
  const isAsText = others.length === 0 && only?.type === 'text' && isObject(answer);
  return isAsText && Object.keys(answer).some((name) => !ids.has(name)) ? toMessage(answer) : answer;
}

/** Values by name, one to a line, as a person would write them. */
function toMessage(answer: unknown): string {
  if (!isObject(answer)) return toWords(answer);
  return Object.entries(answer)
    .map(([name, value]) => `${name}: ${toWords(value)}`)
    .join('\n');
}

function toWords(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
