/**
 * What is stored about a line typed to an agent: the command it was resolved to, and the menu or choices that were shown.
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
  code: z.optional(z.string()),
  handlers: z.array(choiceCandidateSchema),
});

/** The command without its target, which later events describe. */
export const commandEventShape = {
  /** As typed. */
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
  /** Number and label of the matched menu item. Logs of earlier versions have no label. */
  item: z.optional(z.int()),
  label: z.optional(z.string()),
};

const surfaceSchema = z.enum(['electron', 'web']);

export const menuShownShape = {
  agentId: z.string(),
  entries: z.array(menuEntrySchema),
  /** Set if browsers and desktop windows show different menus: the surface of `entries`, and the menu of the other surface. */
  surface: z.optional(surfaceSchema),
  elsewhere: z.optional(z.array(menuEntrySchema)),
};

export const offeredChoiceShape = {
  reason: z.string(),
  candidates: z.array(choiceCandidateSchema),
  /** The lines after the typed line; they are sent with the chosen command. */
  rest: z.optional(z.string()),
  /** Runs that can be resumed, in the order of the candidates. */
  runIds: z.optional(z.array(z.string())),
  /** The surface whose numbers these are, if browsers and desktop windows differ. */
  surface: z.optional(surfaceSchema),
};
