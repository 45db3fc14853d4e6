/**
 * What a rehearsal asks a person, and what it was answered. Pure.
 */
import type { Question } from '@crewagent/protocol/tools';
import { isRecord, type JsonRecord } from '../foreign-json.ts';
import { MENU_ID, toMenuQuestion } from './letter-menu.ts';
import type { Step } from './step.ts';
import type { Visit } from './visit.ts';

export interface Answers {
  /** By the id of the question. */
  readonly byId: JsonRecord;
  /** What the person said without being asked a question, or instead of answering it. */
  readonly words: readonly string[];
}

/**
 * The questions that are written out in the step, its letter menu, or one question for its first variable. The step is called
 * `step "…"` or otherwise.
 */
export function toQuestions(step: Step, called: string): readonly Question[] {
  if (step.menu.length > 0) {
    const menu = toMenuQuestion(step.menu, `The ${called} waits for your choice.`);
    return [...(step.questions ?? []).filter(({ id }) => id !== MENU_ID), menu];
  }
  const id = step.setsVariables.find((name) => name !== 'workflowStatus') ?? 'answer';
  const prompt = `The ${called} waits for your answer. What should it go on with?`;
  return step.questions ?? [{ id, type: 'text', prompt }];
}

/** Answers that came from a person; undefined while there are none. */
export function readAnswers({ calls, inputs }: Visit): Answers | undefined {
  const asked = calls.filter(({ name, result }) => name === 'ui_ask_user' && result.ok);
  if (asked.length === 0 && inputs.length === 0) return undefined;
  const byId: Record<string, unknown> = {};
  for (const { result } of asked) {
    if (result.ok && isRecord(result.value.answers)) Object.assign(byId, result.value.answers);
  }
  return { byId, words: inputs };
}

/** The one answer that is meant for the step as a whole: the only one to a question, or else what was said first. */
export function soleAnswer({ byId, words }: Answers, { setsVariables, isWaiting }: Step): string | undefined {
  if (!isWaiting) return undefined;
  const [only, ...others] = Object.entries(byId).filter(([id]) => id !== MENU_ID);
  if (!only) return words[0];
  const [id, value] = only;
  return others.length === 0 && typeof value === 'string' && !setsVariables.includes(id) ? value : undefined;
}
