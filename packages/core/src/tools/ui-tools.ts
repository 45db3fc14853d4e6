/**
 * Tools that talk to the user: `ui.ask_user`, `ui.propose_command`, and `script.done`, which returns from a script to the agent.
 */
import { type Answers, FOR_ALL, forAllOf, SKIPPED } from '@crewagent/protocol/answers';
import type { MenuEntry } from '@crewagent/protocol/commands';
import { RESERVED_KEY } from '@crewagent/protocol/reserved-key';
import { type Question, questionSchema } from '@crewagent/protocol/tools';
import * as z from '@crewagent/protocol/zod';
import { answer, defineTool, failure, type Tool, type ToolFact } from './tool.ts';

/** Only the runtime says that a question is that of a server. */
const ownQuestionSchema = z.omit(questionSchema, { source: true, body: true });
const bodySchema = z.optional(z.string());
const advertisedAskSchema = z.strictObject({
  body: bodySchema.check(z.describe('Markdown above.')),
  questions: z.array(ownQuestionSchema).check(z.minLength(1), z.maxLength(10)),
});
/** Hints such as `default` or `required` are dropped: they do not change what is asked. */
const askSchema = z.strictObject({
  body: bodySchema,
  questions: z.array(z.object(ownQuestionSchema.shape)).check(z.minLength(1), z.maxLength(10)),
});

/** Asks the user. The run waits; the answer becomes the result of this call. */
export function createAskUser(): Tool {
  return defineTool({
    name: 'ui.ask_user',
    family: 'ui',
    description: 'Asks the user and waits for the answer. Only for what project and workflow do not say.',
    schema: () => askSchema,
    advertised: () => advertisedAskSchema,
    accept: normalizeArguments,
    async run({ body, questions }) {
      const issue = findQuestionIssue(body, questions);
      if (issue) return answer(failure('TOOL_ARGS_INVALID', issue));
      const [first, ...others] = questions;
      if (!first || !body?.trim()) return { kind: 'question', questions };
      return { kind: 'question', questions: [{ ...first, body }, ...others] };
    },
  });
}

function findQuestionIssue(body: string | undefined, questions: readonly Question[]): string | undefined {
  if (!isSerializable([body, questions]))
    return 'The questions are too long or too deeply nested; shorten them.';
  const ids = questions.map(({ id }) => id);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined)
    return `Two questions have the id "${repeated}"; give each question its own id.`;
  const reserved = ids.find((id) => id === RESERVED_KEY || id === FOR_ALL);
  if (reserved !== undefined) return `A question cannot have the id "${reserved}"; choose another id.`;
  const isChoice = ({ type }: Question): boolean => type === 'choice' || type === 'multi';
  const bare = questions.find((question) => isChoice(question) && !question.options?.length);
  return bare && `The question "${bare.id}" is a choice without options; add options to it.`;
}

/** The answers as the model gets them. */
export function toAnswerResult(answers: Answers): Readonly<Record<string, unknown>> {
  const { [FOR_ALL]: _, ...own } = answers;
  const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== SKIPPED));
  const skipped = Object.keys(own).filter((id) => own[id] === SKIPPED);
  const text = forAllOf(answers);
  const isAlone = Object.keys(own).length === 0;
  return {
    answers: text !== undefined && isAlone ? undefined : given,
    skipped: skipped.length > 0 ? skipped : undefined,
    text,
    note: text === undefined ? undefined : `one answer to ${isAlone ? 'all' : 'the other'} questions`,
  };
}

/** Accepts one question without a list, other names of types, a missing type, and options that are objects. */
function normalizeArguments(raw: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { questions, question, body, ...rest } = raw;
  const list = Array.isArray(questions)
    ? questions
    : typeof question === 'string'
      ? [{ prompt: question, ...rest }]
      : undefined;
  if (!list) return { ...raw };
  return { body, questions: list.map(normalizeQuestion) };
}

function normalizeQuestion(raw: unknown, index: number): unknown {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw;
  const { id, prompt, question, type, options, body: _, ...rest } = raw as Record<string, unknown>;
  const labels = Array.isArray(options) ? options.map(toLabel) : options;
  const kind = typeof type === 'string' ? (TYPE_NAMES[type.toLowerCase()] ?? type) : type;
  return {
    ...rest,
    id: id ?? `question-${index + 1}`,
    prompt: prompt ?? question,
    type: kind ?? (Array.isArray(labels) && labels.length > 0 ? 'choice' : 'text'),
    ...(labels === undefined || labels === null ? {} : { options: labels }),
  };
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  input: 'text',
  select: 'choice',
  single_choice: 'choice',
  radio: 'choice',
  multi_select: 'multi',
  multiple_choice: 'multi',
  checkbox: 'multi',
  boolean: 'confirm',
  yes_no: 'confirm',
};

function toLabel(option: unknown): unknown {
  if (typeof option !== 'object' || option === null) return option;
  const { label, text, value } = option as Record<string, unknown>;
  return label ?? text ?? value;
}

const MAX_CHARS = 65_536;

/** Questions are logged and displayed, so they must serialize within the limit. */
function isSerializable(questions: readonly unknown[]): boolean {
  try {
    return JSON.stringify(questions).length <= MAX_CHARS;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const proposeSchema = z.strictObject({
  item: z
    .union([z.int(), z.string().check(z.minLength(1), z.maxLength(200))])
    .check(z.describe('Number of the item in the menu, or its name.')),
  reason: z
    .optional(z.string().check(z.maxLength(500)))
    .check(z.describe('Why you propose this item, in a few words for the user.')),
});

interface Sources {
  readonly entries: readonly MenuEntry[];
  onFact(fact: ToolFact): void;
}

/** Shows an item of the agent's menu as a button. Nothing runs until the user clicks it. */
export function createProposeCommand({ entries, onFact }: Sources): Tool {
  return defineTool({
    name: 'ui.propose_command',
    family: 'ui',
    description:
      'Offers the user an item of your menu as a button. The user decides; end your reply after this call.',
    schema: () => proposeSchema,
    async run({ item, reason }) {
      const entry = findEntry(entries, item);
      if (!entry) {
        const known = entries.map(({ index, label }) => `${index}. ${label}`).join('; ');
        const message = `The menu has no item "${item}"; choose one of: ${known}.`;
        return answer(failure('TOOL_ARGS_INVALID', message));
      }
      const { index, label, description } = entry;
      onFact({
        type: 'choice.offered',
        reason: reason ?? '',
        candidates: [{ index, label: description || label, input: String(index) }],
      });
      return answer({ ok: true, offered: `${index}. ${label}` });
    },
  });
}

function findEntry(entries: readonly MenuEntry[], item: number | string): MenuEntry | undefined {
  const text = String(item).trim();
  const folded = text.toLowerCase();
  return (
    entries.find(({ index }) => String(index) === text) ??
    entries.find(({ label }) => label.toLowerCase() === folded) ??
    entries.find(({ description }) => description.toLowerCase() === folded)
  );
}

/** The script followed in a conversation with an agent. */
export interface FollowedScript {
  /** Undefined if no script is being followed. */
  path(): string | undefined;
  end(path: string): void;
}

/** The model reports that the script it follows is finished. */
export function createScriptDone(script: FollowedScript): Tool {
  return defineTool({
    name: 'script.done',
    family: 'ui',
    description:
      'Ends the script of a SCRIPT_DIRECTIVE. Call it when every instruction of the script is done.',
    isOffered: () => script.path() !== undefined,
    schema: () => z.strictObject({}),
    async run() {
      const path = script.path();
      if (path === undefined)
        return answer(failure('E_PRECONDITION_FAILED', 'No script is being followed; answer the user.'));
      script.end(path);
      return answer({ ok: true, path, hint: 'The script has ended. Tell the user the result.' });
    },
  });
}
