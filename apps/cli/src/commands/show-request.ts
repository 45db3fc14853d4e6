/** `crewagent show RUN --request N`: what the model was sent in a turn, rebuilt from the log and compared with its hash. */
import {
  diffPrompts,
  type Runtime,
  rebuildWorkRequest,
  resolveWork,
  type SentRequest,
  type WorkAddress,
} from '@crewagent/core';
import { validationContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { shortId } from '../print/describe-work.ts';
import { printDiff } from '../print/print-diff.ts';
import { printRequest } from '../print/print-request.ts';
import { say } from '../print/texts/say.ts';
import { print, printError, sanitize, style, styleError } from '../terminal.ts';

export interface RequestOptions {
  readonly request: number;
  readonly diff?: number;
  readonly raw?: true;
  readonly json?: true;
}

/** Fails if a rebuilt request is not the one that was sent. */
export async function showRequest(
  { store, peekTools }: Runtime,
  ref: string,
  { request, diff, raw, json }: RequestOptions,
): Promise<ExitCode> {
  const address = await resolveWork(store, ref);
  const options = { store, context: validationContext, now: () => new Date(), peekTools };
  const sent = await rebuildWorkRequest(address, request, options);
  const { shown, body } = sent;
  const shownAll = [shown];
  if (raw) hostProcess().stdout.write(body);
  else if (diff !== undefined) {
    const earlier = (await rebuildWorkRequest(address, diff, options)).shown;
    shownAll.push(earlier);
    const changes = diffPrompts(earlier, shown);
    if (json) print(JSON.stringify({ from: diff, to: request, diff: changes }));
    else if (changes === '') print(say('request.same'));
    else printDiff(changes);
    for (const { turn, isProved } of shownAll)
      if (isProved === false)
        printError(`${styleError('yellow', '!')} ${say('request.changedTurn', { turn })}`);
  } else if (json) print(JSON.stringify({ ...shown, body }));
  else printSent(sent, await store.works.children(address));
  return shownAll.some(({ isProved }) => isProved === false) ? EXIT.failed : EXIT.ok;
}

function printSent({ shown }: SentRequest, called: readonly WorkAddress[]): void {
  const { turn, turns, at, nodeId, agentId, sha256, bytes, tokens } = shown;
  const where = [at, nodeId, agentId].filter((part) => part !== undefined && part !== '');
  const title = style('bold', say('request.title', { turn, turns }));
  print(`${title}  ${style('dim', sanitize(where.join(', ')))}`);
  print(describeProof(shown.isProved));
  if (sha256 !== undefined) print(style('dim', `  sha256 ${sanitize(sha256)}`));
  const commands = called.map(({ workId }) => `crewagent show ${shortId(workId)} --request 1`).join(', ');
  if (called.length > 0) print(style('dim', `  ${say('request.called', { commands })}`));
  printRequest(shown, say('request.size', { tokens, bytes }));
}

function describeProof(isProved: boolean | undefined): string {
  if (isProved) return style('green', `  ✔ ${say('request.proved')}`);
  return isProved === undefined
    ? style('yellow', `  ${say('request.unhashed')}`)
    : style('red', `  ✖ ${say('request.changed')}`);
}
