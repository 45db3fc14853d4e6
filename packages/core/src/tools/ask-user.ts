/**
 * `ui.ask_user`: asks the user. The run waits; the answer becomes the result of this call.
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
    description: 'Asks the user and waits for the answer. Only for what project and workflow do not say.',
    schema,
    async run({ questions }) {
      if (!isSerializable(questions))
        return answer(
          failure('TOOL_ARGS_INVALID', 'The questions are too long or too deeply nested; shorten them.'),
        );
      const ids = questions.map(({ id }) => id);
      const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
      if (repeated !== undefined) {
        return answer(
          failure(
            'TOOL_ARGS_INVALID',
            `Two questions have the id "${repeated}"; give each question its own id.`,
          ),
        );
      }
      if (ids.includes(RESERVED_KEY)) {
        return answer(
          failure('TOOL_ARGS_INVALID', `A question cannot have the id "${RESERVED_KEY}"; choose another id.`),
        );
      }
      const withoutOptions = questions.find(
        ({ type, options }) => (type === 'choice' || type === 'multi') && !options?.length,
      );
      if (withoutOptions) {
        return answer(
          failure(
            'TOOL_ARGS_INVALID',
            `The question "${withoutOptions.id}" is a choice without options; add options to it.`,
          ),
        );
      }
      return { kind: 'question', questions };
    },
  });
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
