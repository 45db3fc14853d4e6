/**
 * What is kept of a line typed to an agent: what it was taken for, and the menu or the choices that were shown for it.
 */
import * as z from './zod.ts';

export const choiceCandidateSchema = z.strictObject({
  index: z.int(),
  label: z.string(),
  input: z.string(),
});

const menuEntrySchema = z.strictObject({
  index: z.int(),
  label: z.string(),
  description: z.string(),
  code: z.string().optional(),
  handlers: z.array(choiceCandidateSchema),
});

/** The command without its target: that is told by what follows. */
export const commandEventShape = {
  /** As it was typed. */
  input: z.string(),
  kind: z.enum([
    'ShowMenu',
    'StartWorkflow',
    'ResumeRun',
    'ExecScript',
    'RunAction',
    'DismissAgent',
    'ClarifyChoice',
    'Refused',
  ]),
  confidence: z.enum(['exact', 'high', 'medium', 'low']),
  reason: z.string(),
  /** The number of the menu item it met, and the name it has in the menu. Logs of earlier versions have no name. */
  item: z.int().optional(),
  label: z.string().optional(),
};

const surfaceSchema = z.enum(['electron', 'web']);

export const menuShownShape = {
  agentId: z.string(),
  entries: z.array(menuEntrySchema),
  /** Where browsers and windows of our own show different menus: what `entries` is for, and what the other one shows. */
  surface: surfaceSchema.optional(),
  elsewhere: z.array(menuEntrySchema).optional(),
};

export const offeredChoiceShape = {
  reason: z.string(),
  candidates: z.array(choiceCandidateSchema),
  /** The lines below what was typed; they go with what is chosen. */
  rest: z.string().optional(),
  /** Where runs are offered to be resumed: which, in the order of the candidates. */
  runIds: z.array(z.string()).optional(),
  /** Whose numbers these are, where browsers and windows of our own have different ones. */
  surface: surfaceSchema.optional(),
};
