/**
 * `script.done`: the model says that the script it was told to follow is finished. The person is then back with the agent.
 */
import * as z from '@crewagent/protocol/zod';
import { answer, defineTool, failure, type Tool } from './tool.ts';

/** The script that is followed in a conversation with an agent. */
export interface FollowedScript {
  /** Undefined where none is followed. */
  path(): string | undefined;
  end(path: string): void;
}

export function createScriptDone(script: FollowedScript): Tool {
  return defineTool({
    name: 'script.done',
    family: 'ui',
    description: 'Ends the script of a SCRIPT_DIRECTIVE. Call it when nothing of the script is left to do.',
    schema: z.strictObject({}),
    async run() {
      const path = script.path();
      if (path === undefined)
        return answer(failure('E_PRECONDITION_FAILED', 'No script is being followed; answer the person.'));
      script.end(path);
      return answer({ ok: true, path, hint: 'The script is over. Tell the person what came of it.' });
    },
  });
}
