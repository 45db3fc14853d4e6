/**
 * `ui.ask_user`: a question that only a person can answer. The run waits; the answer becomes the result of this call.
 */
import { RESERVED_KEY } from '@crewagent/protocol/reserved-key';
import { questionSchema } from '@crewagent/protocol/tools';
import * as z from '@crewagent/protocol/zod';
import { answer, defineTool, failure, type Tool } from './tool.ts';

const schema = z.strictObject({ questions: z.array(questionSchema).min(1).max(10) });

export function createAskUser(): Tool {
  return defineTool({
    name: 'ui.ask_user',
    family: 'ui',
    description:
      'Asks the person and waits for the answer. Only for what the project and the workflow cannot tell.',
    schema,
    async run({ questions }) {
      if (!isTellable(questions))
        return answer(
          failure(
            'TOOL_ARGS_INVALID',
            'The questions are too long or too deeply nested; ask in fewer words.',
          ),
        );
      const ids = questions.map(({ id }) => id);
      const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
      if (repeated !== undefined) {
        return answer(
          failure('TOOL_ARGS_INVALID', `Two questions have the id "${repeated}"; give each its own.`),
        );
      }
      if (ids.includes(RESERVED_KEY)) {
        return answer(
          failure('TOOL_ARGS_INVALID', `A question cannot have the id "${RESERVED_KEY}"; choose another.`),
        );
      }
      const bare = questions.find(
        ({ type, options }) => (type === 'choice' || type === 'multi') && !options?.length,
      );
      if (bare) {
        return answer(
          failure('TOOL_ARGS_INVALID', `The question "${bare.id}" is a choice and needs options.`),
        );
      }
      return { kind: 'question', questions };
    },
  });
}

const MAX_CHARS = 65_536;

/** They are written down and shown. */
function isTellable(questions: readonly unknown[]): boolean {
  try {
    return JSON.stringify(questions).length <= MAX_CHARS;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
