/**
 * Commands of models (`shell.run`): what a person allows in a project, and what is shown of it. Off unless a person switched it on.
 */
import { sandboxOptionsSchema, sandboxStateSchema } from './sandbox.ts';
import * as z from './zod.ts';

/** Words without anything a shell would interpret. */
const PLAIN_WORD = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Programs that run whatever they are given: a rule with nothing after them would allow everything. */
const RUNS_ANYTHING = new Set(
  `sh bash zsh dash ksh fish env sudo doas su xargs find nohup timeout time nice watch ssh docker podman npx bunx pnpx
  node deno bun python python3 perl ruby php awk eval exec command cmd powershell pwsh`.split(/\s+/),
);

/** The first words of commands that need no approval, such as `npm test`. */
export const commandPrefixSchema = z
  .pipe(
    z.string().check(z.trim(), z.maxLength(200)),
    z.transform((text) => text.split(/\s+/).join(' ')),
  )
  .check(
    z.refine((text) => text.split(' ').every((word) => PLAIN_WORD.test(word)), {
      message: 'use words of letters, digits and @ % + = : , . / _ - only',
    }),
    z.refine((text) => !text.split(' ')[0]?.includes('='), { message: 'begin with a program' }),
    z.refine((text) => !RUNS_ANYTHING.has(text.split('/').at(-1) ?? ''), {
      message: 'this program runs whatever it is given; name more of the command',
    }),
  );

export const shellSettingsSchema = z.strictObject({
  enabled: z._default(z.boolean(), false),
  ...sandboxOptionsSchema.shape,
  /** Commands that begin with one of these need no approval, in the sandbox only. */
  allow: z._default(
    z.array(commandPrefixSchema).check(z.maxLength(200), z.meta({ examples: ['npm test', 'cargo check'] })),
    [],
  ),
});
export type ShellSettings = z.infer<typeof shellSettingsSchema>;

export const shellStateSchema = z.extend(shellSettingsSchema, {
  sandbox: sandboxStateSchema,
  /** Package registries of the project's tools, which are reachable too if the network is on. */
  registries: z.array(z.string()),
});
export type ShellState = z.infer<typeof shellStateSchema>;

/** The words of a line that no shell would interpret; undefined for any other line. */
export function toPlainWords(line: string): readonly string[] | undefined {
  const words = line.trim().split(/ +/);
  const isPlain = words.every((word) => PLAIN_WORD.test(word)) && !words[0]?.includes('=');
  return isPlain ? words : undefined;
}
