/** What names an agent or a workflow in a request. */
import * as z from '../zod.ts';
import { packageHashSchema } from './ids.ts';

/** An agent of an installed package; default: the package's only or entry agent. */
export const agentShape = {
  packageHash: z.optional(packageHashSchema),
  agent: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
};

export const workflowShape = {
  ...agentShape,
  workflow: z.optional(z.string().check(z.minLength(1), z.maxLength(500))),
};
