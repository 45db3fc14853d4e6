/**
 * The model of a simulation: asks, writes files, moves on, answers in text, fails and hangs, as the seed decides. Every effect that it
 * requests has a name that no other has, so that one that happens twice is noticed.
 */
import {
  cutAfter,
  drop,
  hangBeforeHeaders,
  type ProviderReply,
  type ScriptedCall,
  statusReply,
  streamReply,
  textReply,
} from '../../../../core/src/testing/models/provider-replies.ts';
import { finishArguments } from '../../../../core/src/testing/models/scripted-model.ts';
import type { Random } from './random.ts';

export interface ReceivedByModel {
  /** The name of the model, which each Work has its own of. */
  readonly model: string;
  readonly body: string;
  /** The ids of the calls of the reply; undefined for a reply that is not complete. */
  readonly callIds: readonly string[] | undefined;
}

const NEXT: Readonly<Record<string, string | undefined>> = {
  'step-01': 'decide-02',
  'decide-02': 'step-03',
  'step-03': 'end-99',
};

export function createSimulatedModel(random: Random, onRequest: (received: ReceivedByModel) => void) {
  let count = 0;

  const chooseCalls = (body: string): ScriptedCall[] => {
    const id = `call-${++count}`;
    const dice = random.below(10);
    if (dice < 3) {
      const questions = [{ id: 'q', prompt: `Question ${count}?`, type: 'text' }];
      return [{ id, name: 'ui_ask_user', arguments: { questions } }];
    }
    if (dice < 8) {
      const write = (number: number): ScriptedCall => ({
        id: `call-${number}`,
        name: 'fs_write',
        arguments: { path: `effects/call-${number}.md`, content: `Effect of call-${number}.\n` },
      });
      return random.chance(0.3) ? [write(count), write(++count)] : [write(count)];
    }
    const node = /[\s\S]*"?currentNodeId"?: "?([a-z]+-\d+)/.exec(body)?.[1] ?? 'step-01';
    return [{ id, name: 'fs_apply_patch', arguments: finishArguments(node, NEXT[node]) }];
  };
  return (body: string): ProviderReply => {
    const { model } = JSON.parse(body) as { readonly model: string };
    const isWhole = !random.chance(0.12);
    if (isWhole && random.chance(0.15)) {
      onRequest({ model, body, callIds: [] });
      return textReply(`Reply ${++count}.`);
    }
    const calls = chooseCalls(body);
    const reply = streamReply({ toolCalls: calls, pieceLength: 60 });
    onRequest({ model, body, callIds: isWhole ? calls.map((call) => call.id ?? '') : undefined });
    if (isWhole) return reply;
    return random.pick([
      statusReply(500, 'out of order'),
      statusReply(429, 'slow down'),
      drop(),
      hangBeforeHeaders(),
      cutAfter(reply, 40 + random.below(300)),
    ]) as ProviderReply;
  };
}
