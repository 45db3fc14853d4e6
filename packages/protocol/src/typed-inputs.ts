/**
 * Typed inputs: questions that a workflow wants answered once per person or once per project, before its first run. They are
 * declared as `typedInputs` in the frontmatter of workflow.md; answers are stored in the settings.
 */
import * as z from './zod.ts';

const nameSchema = z
  .string()
  .check(z.regex(/^(?!__proto__$)[A-Za-z_][\w-]{0,99}$/, 'letters, digits, "_" and "-"'));

export const inputValueSchema = z.union([
  z.string().check(z.maxLength(4_000)),
  z.boolean(),
  z.array(z.string().check(z.maxLength(1_000))).check(z.maxLength(200)),
]);
export type InputValue = z.infer<typeof inputValueSchema>;

export const typedInputSchema = z.strictObject({
  name: nameSchema.check(z.meta({ description: 'The variable that gets the value.' })),
  prompt: z.string().check(z.minLength(1), z.maxLength(2_000)),
  type: z._default(z.enum(['text', 'path', 'choice', 'multi', 'confirm']), 'text'),
  default: z.optional(inputValueSchema).check(
    z.meta({
      description:
        'Names in braces are values of other inputs; {directory_name} is the folder of the project.',
    }),
  ),
  choices: z.optional(
    z.array(z.strictObject({ value: z.string(), label: z.string() })).check(z.maxLength(200)),
  ),
  scope: z
    ._default(z.enum(['person', 'project']), 'project')
    .check(z.meta({ description: 'Asked once per person or once per project.' })),
});
export type TypedInput = z.infer<typeof typedInputSchema>;

const answersSchema = z._default(z.record(nameSchema, inputValueSchema), {});

/** Part of the settings. */
export const inputSettingsSchema = z.strictObject({
  person: answersSchema,
  /** By the id of the project. */
  projects: z._default(z.record(z.string().check(z.minLength(1), z.maxLength(200)), answersSchema), {}),
});
export type InputSettings = z.infer<typeof inputSettingsSchema>;
