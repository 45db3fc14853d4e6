/** Questions of a run as a form of the host (elicitation), and its answers. Pure. */
import type { Answers } from '@crewagent/protocol/answers';
import type { Question } from '@crewagent/protocol/tools';

/** The parameters of `elicitation/create`. */
export interface Form {
  readonly message: string;
  readonly requestedSchema: {
    readonly type: 'object';
    readonly properties: Record<string, FormField>;
    readonly required: string[];
  };
}

type FormField =
  | { readonly type: 'string'; readonly title: string; readonly enum?: string[] }
  | { readonly type: 'boolean'; readonly title: string }
  | {
      readonly type: 'array';
      readonly title: string;
      readonly items: { readonly type: 'string'; readonly enum: string[] };
    };

const MAX_TITLE = 2_000;

export function toForm(questions: readonly Question[]): Form {
  const [first] = questions;
  const properties = Object.fromEntries(questions.map((question) => [question.id, toField(question)]));
  return {
    message: [first?.body, first?.prompt].filter(Boolean).join('\n\n').slice(0, MAX_TITLE),
    requestedSchema: { type: 'object', properties, required: questions.map(({ id }) => id) },
  };
}

function toField({ prompt, type, options = [] }: Question): FormField {
  const title = prompt.slice(0, MAX_TITLE);
  if (type === 'confirm') return { type: 'boolean', title };
  if (type === 'multi' && options.length > 0)
    return { type: 'array', title, items: { type: 'string', enum: [...options] } };
  // Any words are an answer to a choice; a form has no place for them.
  if (type === 'choice' && options.length > 0) return { type: 'string', title, enum: [...options] };
  return { type: 'string', title };
}

/** Only what was asked. */
export function toAnswers(
  questions: readonly Question[],
  content: Readonly<Record<string, unknown>>,
): Answers {
  return Object.fromEntries(
    questions.flatMap(({ id }) => (Object.hasOwn(content, id) ? [[id, content[id]]] : [])),
  );
}
