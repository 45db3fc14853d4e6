/** `crewagent resume RUN --preview`: what would happen. Takes no lease and changes nothing. */
import { findRoot, previewResume, resolveRun } from '@crewagent/core';
import type { ResumePreview } from '@crewagent/protocol/api/file-use';
import { validationContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openRuntime } from '../open-runtime.ts';
import { printLayers } from '../print/print-request.ts';
import { say } from '../print/texts/say.ts';
import { print, sanitize, style } from '../terminal.ts';

export async function preview(ref: string, { json }: { readonly json?: true }): Promise<ExitCode> {
  const { store, peekTools } = openRuntime();
  const address = await findRoot(store, await resolveRun(store, ref));
  const options = { store, context: validationContext, now: () => new Date(), peekTools };
  const shown = await previewResume(address, options);
  if (json) print(JSON.stringify(shown));
  else printPreview(shown);
  return EXIT.ok;
}

function printPreview({
  title,
  nodeId,
  isOpen,
  unknownCalls,
  pending,
  request,
  changed,
}: ResumePreview): void {
  print(style('bold', say('next.title')));
  if (isOpen) print(`  ${say('next.open')}`);
  if (nodeId === undefined) {
    print(`  ${say('next.completed')}`);
    return;
  }
  print(`  ${say('next.step', { step: sanitize(`${title || nodeId} (${nodeId})`, 300) })}`);
  for (const text of pending?.texts ?? [])
    print(`  ${style('cyan', say(`next.${pending?.kind ?? 'question'}`, { text: sanitize(text, 500) }))}`);
  if (unknownCalls.length > 0)
    print(`  ${style('yellow', say('next.unknown', { count: unknownCalls.length }))}`);
  for (const { name, path = '', isRead } of unknownCalls)
    print(
      `    ${sanitize(`${name} ${path}`, 300)}${isRead ? style('dim', ` (${say('next.harmless')})`) : ''}`,
    );
  if (changed.length > 0) print(`  ${style('yellow', say('next.changed', { count: changed.length }))}`);
  for (const { path, kind } of changed)
    print(`    ${sanitize(path, 300)}${kind === 'removed' ? style('dim', ` (${say('next.gone')})`) : ''}`);
  const { tokens, contextTokens: window, parts } = request;
  print(`  ${say('next.request', { tokens, window })}`);
  printLayers(parts, tokens);
}
