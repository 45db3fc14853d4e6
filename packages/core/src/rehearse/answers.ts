/** Placeholder answers of a person for a rehearsal. Pure. */
import type { Answers } from '@crewagent/protocol/answers';
import type { Question } from '@crewagent/protocol/tools';
import { chosenOption, findMenu, leavingOptions, MENU_ID } from '../base/letter-menu.ts';

/** Sent when a run waits for a message without a question. */
export const PLACEHOLDER_MESSAGE = 'Placeholder message of a rehearsal; continue.';

/** `chosen`: options of the node's letter menu that were already chosen; the new one is added. */
export function placeholderAnswers(questions: readonly Question[], chosen = new Set<string>()): Answers {
  return Object.fromEntries(questions.map((question) => [question.id, placeholderAnswer(question, chosen)]));
}

/** The options of a letter menu one after the other, those that lead on last. */
export function nextOption(options: readonly string[], chosen: Set<string>): string | undefined {
  const menu = findMenu(options.join('\n'));
  const leaving = new Set(leavingOptions(menu, []));
  const isLeaving = (option: string): boolean => {
    const found = chosenOption(menu, option);
    return found !== undefined && leaving.has(found);
  };
  const ordered = [...options.filter((option) => !isLeaving(option)), ...options.filter(isLeaving)];
  const next = ordered.find((option) => !chosen.has(option)) ?? ordered.at(-1);
  if (next !== undefined) chosen.add(next);
  return next;
}

function placeholderAnswer({ id, type, options = [], schema }: Question, chosen: Set<string>): unknown {
  switch (type) {
    case 'text':
      return `Placeholder answer to ${id}`;
    case 'choice':
      return id === MENU_ID ? nextOption(options, chosen) : options[0];
    case 'multi':
      return options.slice(0, 1);
    case 'confirm':
      return true;
    case 'form':
      return placeholderForm(schema);
  }
}

/** Every field of a flat form, by type; nested objects are empty. */
function placeholderForm(schema: Question['schema']): Record<string, unknown> {
  const fields = schema?.properties;
  if (typeof fields !== 'object' || fields === null) return {};
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]: [string, unknown]) => [name, placeholderField(name, field)]),
  );
}

function placeholderField(name: string, field: unknown): unknown {
  const { type, enum: values } = (typeof field === 'object' && field !== null ? field : {}) as {
    readonly type?: unknown;
    readonly enum?: unknown;
  };
  if (Array.isArray(values) && values.length > 0) return values[0] as unknown;
  switch (type) {
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return `Placeholder answer to ${name}`;
  }
}
