/** What people and projects of a team may spend in a day or a month, over HTTP. Not part of the table of the local server. */
import { countSchema } from '../scalars.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { storeIdSchema } from './ids.ts';

const MAX_TOKENS = 1e15;
const MAX_USD = 1e9;

const quotaShape = {
  /** Days and months of UTC. */
  period: z.enum(['day', 'month']),
  tokens: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_TOKENS))),
  costUsd: z.optional(z.number().check(z.positive(), z.maximum(MAX_USD))),
};
export const quotaSchema = z
  .strictObject(quotaShape)
  .check(
    z.refine(({ tokens, costUsd }) => tokens !== undefined || costUsd !== undefined, 'tokens or costUsd'),
  );
export type QuotaLimits = z.infer<typeof quotaSchema>;

/** `default`: of each person who has none. */
const quotaKindSchema = z.enum(['default', 'person', 'project']);

const shownQuotaSchema = z.strictObject({
  kind: quotaKindSchema,
  /** Of the person or the project. */
  subjectId: z.optional(storeIdSchema),
  /** Of the person or the project; '' of the default. */
  name: z.string(),
  ...quotaShape,
  /** In the current period; missing for the default. */
  used: z.optional(
    z.strictObject({
      tokens: countSchema,
      costUsd: z.number(),
      /** Tokens whose price is not known: a limit of money does not count them. */
      unpricedTokens: countSchema,
    }),
  ),
  /** When the next period begins. */
  endsAt: z.iso.datetime(),
});
export type ShownQuota = z.infer<typeof shownQuotaSchema>;

export const quotas = {
  list: defineEndpoint(
    'GET /team/quotas',
    'Lists the quotas with what is used of them: all for an administrator, else those that hold for the person.',
    { response: z.strictObject({ quotas: z.array(shownQuotaSchema) }) },
  ),
  put: defineEndpoint(
    'PUT /team/quotas',
    'Sets what a person, a project or each other person may spend; without `quota`, nothing is limited. Runs that wait for it continue.',
    {
      body: z.strictObject({
        kind: quotaKindSchema,
        subjectId: z.optional(storeIdSchema),
        quota: z.optional(quotaSchema),
      }),
    },
  ),
} as const;
