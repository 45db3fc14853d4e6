/** `crewagent prompt`: prints what a model would be sent first at a node of a package. Nothing is sent. */
import { diffPrompts, showPrompt } from '@crewagent/core';
import type { ShownPrompt } from '@crewagent/protocol/api/shown-context';
import { validationContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openStore } from '../open-store.ts';
import { printDiff } from '../print/print-diff.ts';
import { printRequest } from '../print/print-request.ts';
import { sayUnusedNames } from '../print/say-unused-names.ts';
import { say } from '../print/texts/say.ts';
import { print, sanitize, style } from '../terminal.ts';

export interface PromptOptions {
  readonly node?: string;
  readonly workflow?: string;
  readonly project?: string;
  readonly set: ReadonlyMap<string, string>;
  readonly inputs?: string;
  readonly diff?: string;
  readonly json?: true;
}

export async function prompt(ref: string, options: PromptOptions): Promise<ExitCode> {
  const store = openStore();
  const show = (pkg: string, onUnusedNames?: typeof sayUnusedNames): Promise<ShownPrompt> =>
    showPrompt({
      package: pkg,
      workflow: options.workflow,
      nodeId: options.node,
      given: { file: options.inputs, texts: options.set },
      onUnusedNames,
      projectPath: options.project,
      store,
      context: validationContext,
    });
  const shown = await show(ref, sayUnusedNames);
  const diff = options.diff === undefined ? undefined : diffPrompts(await show(options.diff), shown);
  if (options.json) print(JSON.stringify({ ...shown, diff }));
  else if (diff === undefined) printPrompt(shown);
  else if (diff === '') print(say('request.sameSent'));
  else printDiff(diff);
  return EXIT.ok;
}

function printPrompt({ nodeId, title, agentId, workflow, contextTokens, ...request }: ShownPrompt): void {
  print(`${style('bold', sanitize(title))}  ${style('dim', sanitize(`${nodeId}, ${agentId}, ${workflow}`))}`);
  printRequest(request, say('request.fits', { tokens: request.tokens, window: contextTokens }));
}
