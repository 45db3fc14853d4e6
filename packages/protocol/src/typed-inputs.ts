/**
 * Typed inputs: questions that a workflow wants answered once per person or once per project, before its first run. They are
 * declared as `typedInputs` in the frontmatter of workflow.md; answers are stored in the settings.
 */
import * as z from './zod.ts';

const nameSchema = z.string().regex(/^(?!__proto__$)[A-Za-z_][\w-]{0,99}$/, 'letters, digits, "_" and "-"');

export const inputValueSchema = z.union([
  z.string().max(4_000),
  z.boolean(),
  z.array(z.string().max(1_000)).max(200),
]);
export type InputValue = z.infer<typeof inputValueSchema>;

export const typedInputSchema = z.strictObject({
  name: nameSchema.meta({ description: 'The variable that gets the value.' }),
  prompt: z.string().min(1).max(2_000),
  type: z.enum(['text', 'path', 'choice', 'multi', 'confirm']).default('text'),
  default: inputValueSchema.optional().meta({
    description: 'Names in braces are values of other inputs; {directory_name} is the folder of the project.',
  }),
  choices: z
    .array(z.strictObject({ value: z.string(), label: z.string() }))
    .max(200)
    .optional(),
  scope: z
    .enum(['person', 'project'])
    .default('project')
    .meta({ description: 'Asked once per person or once per project.' }),
});
export type TypedInput = z.infer<typeof typedInputSchema>;

const answersSchema = z.record(nameSchema, inputValueSchema).default({});

/** Part of the settings. */
export const inputSettingsSchema = z.strictObject({
  person: answersSchema,
  /** By the id of the project. */
  projects: z.record(z.string().min(1).max(200), answersSchema).default({}),
});
export type InputSettings = z.infer<typeof inputSettingsSchema>;
