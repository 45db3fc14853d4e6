/**
 * Text edits as a model asks for them: replace a passage, apply a unified diff. All of them or none. Pure.
 */
import * as z from '@crewagent/protocol/zod';
export declare const textEditSchemas: readonly [
  z.ZodObject<
    {
      operation: z.ZodLiteral<'replace'>;
      find: z.ZodString;
      replace: z.ZodString;
      all: z.ZodOptional<z.ZodBoolean>;
    },
    z.core.$strict
  >,
  z.ZodObject<
    {
      operation: z.ZodLiteral<'diff'>;
      diff: z.ZodString;
    },
    z.core.$strict
  >,
];
export type TextEdit = z.infer<(typeof textEditSchemas)[number]>;
export type EditResult =
  | {
      readonly ok: true;
      readonly text: string;
    }
  | {
      readonly ok: false;
      readonly reason: string;
    };
export declare function applyEdit(text: string, edit: TextEdit): EditResult;
