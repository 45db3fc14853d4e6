/**
 * Questions of a rehearsal to a person, and their answers. Pure.
 */
import { isObject } from '@crewagent/protocol/json-object';
import type { Question } from '@crewagent/protocol/tools';
import { MENU_ID, toMenuQuestion } from '../../base/letter-menu.ts';
import type { JsonRecord } from '../untrusted-json.ts';
import type { Step } from './step.ts';
import type { Visit } from './visit.ts';

export interface Answers {
  /** By question id. */
  readonly byId: JsonRecord;
  /** Messages of the person that answer no question. */
  readonly messages: readonly string[];
}

/**
 * The questions defined in the step, its letter menu, or one question for its first variable. `called` names the step
 * in prompts, as in `step "…"`.
 */
export function toQuestions(step: Step, called: string): readonly Question[] {
  if (step.menu.length > 0) {
    const menu = toMenuQuestion(step.menu, `The ${called} is waiting for your choice.`);
    return [...(step.questions ?? []).filter(({ id }) => id !== MENU_ID), menu];
  }
  const id = step.setsVariables.find((name) => name !== 'workflowStatus') ?? 'answer';
  const prompt = `The ${called} is waiting for your answer. What should it use?`;
  return step.questions ?? [{ id, type: 'text', prompt }];
}

/** Answers from a person; undefined if there are none yet. */
export function readAnswers({ calls, inputs }: Visit): Answers | undefined {
  const asked = calls.filter(({ name, result }) => name === 'ui_ask_user' && result.ok);
  if (asked.length === 0 && inputs.length === 0) return undefined;
  const byId: Record<string, unknown> = {};
  const texts: string[] = [];
  for (const { result } of asked) {
    if (!result.ok) continue;
    if (isObject(result.value.answers)) Object.assign(byId, result.value.answers);
    // One text that answers several questions.
    if (typeof result.value.text === 'string') texts.push(result.value.text);
  }
  return { byId, messages: [...texts, ...inputs] };
}

/** The answer for the whole step: the only answer to a question, otherwise the first message. */
export function soleAnswer(
  { byId, messages }: Answers,
  { setsVariables, isWaiting }: Step,
): string | undefined {
  if (!isWaiting) return undefined;
  const [only, ...others] = Object.entries(byId).filter(([id]) => id !== MENU_ID);
  if (!only) return messages[0];
  const [id, value] = only;
  return others.length === 0 && typeof value === 'string' && !setsVariables.includes(id) ? value : undefined;
}
