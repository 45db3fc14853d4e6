/**
 * The questions of `ui.ask_user` in the forms of the protocol: a form if the editor has forms, the options as buttons for one
 * question with few of them, else a message that the person replies to. Pure.
 */
import type { ElicitationSchema, PermissionOption } from '@agentclientprotocol/sdk';
import { type Answers, SKIPPED } from '@crewagent/protocol/answers';
import { isObject } from '@crewagent/protocol/json-object';
import type { Question } from '@crewagent/protocol/tools';
import type { Say } from './texts.ts';

type Property = NonNullable<ElicitationSchema['properties']>[string];

/** Undefined for questions that no form of the protocol can ask: nested objects. */
export function toForm(questions: readonly Question[]): ElicitationSchema | undefined {
  if (questions.some(({ type }) => type === 'form')) return undefined;
  const properties: Record<string, Property> = {};
  for (const [index, question] of questions.entries()) properties[`q${index}`] = toProperty(question);
  return { type: 'object', properties };
}

function toProperty({ type, prompt, options = [] }: Question): Property {
  const title = prompt.slice(0, MAX_TITLE);
  switch (type) {
    case 'confirm':
      return { type: 'boolean', title };
    case 'multi':
      return { type: 'array', title, items: { type: 'string', enum: [...options] } };
    case 'choice':
      return { type: 'string', title, enum: [...options] };
    default:
      return { type: 'string', title };
  }
}

const MAX_TITLE = 2_000;

/** A field that was left out is a question that the person skipped. */
export function toFormAnswers(questions: readonly Question[], content: unknown): Answers {
  const given = isObject(content) ? content : {};
  return Object.fromEntries(
    questions.map(({ id }, index) => [id, Object.hasOwn(given, `q${index}`) ? given[`q${index}`] : SKIPPED]),
  );
}

const MAX_BUTTONS = 9;
const OWN_WORDS = 'own';

/** Undefined if the questions need more than a choice. */
export function toButtons(questions: readonly Question[], say: Say): PermissionOption[] | undefined {
  const [question, ...others] = questions;
  if (!question || others.length > 0) return undefined;
  const names = toNames(question, say);
  if (names.length === 0 || names.length > MAX_BUTTONS) return undefined;
  return [
    ...names.map((name, index) => ({ optionId: `${index}`, name, kind: 'allow_once' as const })),
    { optionId: OWN_WORDS, name: say('question.own'), kind: 'reject_once' },
  ];
}

/** Undefined for own words, and for an option that was not offered. */
export function toButtonAnswers(questions: readonly Question[], optionId: string): Answers | undefined {
  const [question] = questions;
  if (!question) return undefined;
  const { id, type, options = [] } = question;
  if (type === 'confirm') return CONFIRM.has(optionId) ? { [id]: optionId === '0' } : undefined;
  const option = /^\d$/.test(optionId) ? options[Number(optionId)] : undefined;
  return option === undefined ? undefined : { [id]: option };
}

const CONFIRM: ReadonlySet<string> = new Set(['0', '1']);

function toNames({ type, options = [] }: Question, say: Say): readonly string[] {
  if (type === 'confirm') return [say('question.yes'), say('question.no')];
  return type === 'choice' ? options : [];
}
