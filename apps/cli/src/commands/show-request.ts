/** `crewagent show RUN --request N`: what the model was sent in a turn, rebuilt from the log and compared with its hash. */
import {
  diffPrompts,
  type Runtime,
  rebuildWorkRequest,
  resolveWork,
  type SentRequest,
} from '@crewagent/core';
import { validationContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { printDiff } from '../print/print-diff.ts';
import { printRequest } from '../print/print-request.ts';
import { print, sanitize, style } from '../terminal.ts';

export interface RequestOptions {
  readonly request: number;
  readonly diff?: number;
  readonly raw?: true;
  readonly json?: true;
}

/** Fails if the rebuilt request is not the one that was sent. */
export async function showRequest(
  { store, peekTools }: Runtime,
  ref: string,
  { request, diff, raw, json }: RequestOptions,
): Promise<ExitCode> {
  const address = await resolveWork(store, ref);
  const options = { store, context: validationContext, now: () => new Date(), peekTools };
  const sent = await rebuildWorkRequest(address, request, options);
  const { shown, body } = sent;
  if (raw) hostProcess().stdout.write(body);
  else if (diff !== undefined) {
    const changes = diffPrompts((await rebuildWorkRequest(address, diff, options)).shown, shown);
    if (json) print(JSON.stringify({ from: diff, to: request, diff: changes }));
    else if (changes === '') print('Both requests say the same.');
    else printDiff(changes);
  } else if (json) print(JSON.stringify({ ...shown, body }));
  else printSent(sent);
  return shown.isProved === false ? EXIT.failed : EXIT.ok;
}

function printSent({ shown }: SentRequest): void {
  const { turn, turns, at, nodeId, agentId, sha256, bytes, tokens } = shown;
  const where = [at, nodeId, agentId].filter((part) => part !== undefined && part !== '');
  print(`${style('bold', `Request ${turn} of ${turns}`)}  ${style('dim', sanitize(where.join(', ')))}`);
  print(describeProof(shown.isProved));
  if (sha256 !== undefined) print(style('dim', `  sha256 ${sanitize(sha256)}`));
  printRequest(shown, `about ${tokens} tokens, ${bytes} bytes`);
}

function describeProof(isProved: boolean | undefined): string {
  if (isProved) return style('green', '  ✔ proved: byte for byte what was sent');
  return isProved === undefined
    ? style('yellow', '  not proved: the version that sent it recorded no hash')
    : style(
        'red',
        '  ✖ not what was sent: another version of CrewAgent composed it, or files it was made of changed',
      );
}
