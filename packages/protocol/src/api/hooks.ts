/** Hooks of the person over HTTP. Those that a policy requires are only listed and tested. */
import { hookEventSchema, hookSchema, listedHookSchema, testedHookSchema } from '../hooks.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { storeIdSchema } from './ids.ts';

export const hooks = {
  list: defineEndpoint(
    'GET /hooks',
    'Lists hooks, those that a policy requires included, with the last test of each.',
    {
      response: z.strictObject({
        hooks: z.array(listedHookSchema),
        /** Why a policy allows none of the person's own. */
        refusal: z.optional(z.string()),
      }),
    },
  ),
  put: defineEndpoint('PUT /hooks/:hook', 'Adds or replaces a hook in the settings.', {
    body: z.strictObject({ hook: hookSchema }),
  }),
  remove: defineEndpoint('DELETE /hooks/:hook', 'Removes a hook from the settings.'),
  test: defineEndpoint('POST /hooks/:hook/test', 'Calls a hook with a made-up event.', {
    body: z.strictObject({
      /** Default: the first that it is called on. */
      event: z.optional(hookEventSchema),
      projectId: z.optional(storeIdSchema),
    }),
    response: testedHookSchema,
  }),
};
