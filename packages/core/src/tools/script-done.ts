/**
 * `script.done`: the model reports that the script it follows is finished. The conversation returns to the agent.
 */
import * as z from '@crewagent/protocol/zod';
import { answer, defineTool, failure, type Tool } from './tool.ts';

/** The script followed in a conversation with an agent. */
export interface FollowedScript {
  /** Undefined if no script is being followed. */
  path(): string | undefined;
  end(path: string): void;
}

export function createScriptDone(script: FollowedScript): Tool {
  return defineTool({
    name: 'script.done',
    family: 'ui',
    description:
      'Ends the script of a SCRIPT_DIRECTIVE. Call it when every instruction of the script is done.',
    isOffered: () => script.path() !== undefined,
    schema: z.strictObject({}),
    async run() {
      const path = script.path();
      if (path === undefined)
        return answer(failure('E_PRECONDITION_FAILED', 'No script is being followed; answer the user.'));
      script.end(path);
      return answer({ ok: true, path, hint: 'The script has ended. Tell the user the result.' });
    },
  });
}
