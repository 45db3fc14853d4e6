/** What the Works of this store cost. */
import { costSumSchema } from '../costs.ts';
import { countSchema } from '../scalars.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { queryCountSchema } from './ids.ts';

const namedCostSchema = z.strictObject({ name: z.string(), ...costSumSchema.shape });
export type NamedCost = z.infer<typeof namedCostSchema>;

/** By id: names may be the same, and what was deleted has none. */
const ownerCostSchema = z.strictObject({ id: z.string(), name: z.string(), ...costSumSchema.shape });
export type OwnerCost = z.infer<typeof ownerCostSchema>;

const workCostSchema = z.strictObject({
  /** The Work that a person opens; runs that it called are included. */
  workId: z.string(),
  projectId: z.string(),
  title: z.string(),
  ...costSumSchema.shape,
});

export const costReportSchema = z.strictObject({
  total: costSumSchema,
  /** By day (`2026-01-31`), the latest first; days without a request are left out. */
  days: z.array(namedCostSchema),
  /** The most expensive first. Of packages, '' is chat without one. */
  models: z.array(namedCostSchema),
  packages: z.array(namedCostSchema),
  /** On a team server; the most expensive first, as many as are listed. */
  people: z.optional(z.array(ownerCostSchema)),
  projects: z.optional(z.array(ownerCostSchema)),
  /** The 20 most expensive. */
  works: z.array(workCostSchema),
  /** Where the prices of models come from that are in the settings: set there, or a list of the provider. */
  prices: z.array(
    z.strictObject({
      model: z.string(),
      /** Missing: the price is set in the settings. */
      list: z.optional(z.strictObject({ asOf: z.string(), source: z.string() })),
    }),
  ),
  /** Works whose logs were not read yet; the next request goes on with them. */
  remaining: countSchema,
});
export type CostReport = z.infer<typeof costReportSchema>;

const minutesSchema = z.pipe(z.string().check(z.regex(/^-?\d{1,3}$/, 'a whole number')), z.transform(Number));

export const costs = {
  show: defineEndpoint(
    'GET /costs',
    'Tokens and cost of the last days, by day, model, package and Work. On a team server also by person and project.',
    {
      query: z.strictObject({
        /** Default: 30. */
        days: z.optional(z.pipe(queryCountSchema, z.number().check(z.minimum(1), z.maximum(366)))),
        /** Minutes that the person's time is ahead of UTC; days begin at midnight there. */
        utcOffset: z.optional(z.pipe(minutesSchema, z.number().check(z.minimum(-840), z.maximum(840)))),
      }),
      response: costReportSchema,
    },
  ),
} as const;
