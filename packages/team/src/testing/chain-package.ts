/** A chain of steps that each write a file, and a model that follows it by what it is sent alone: it may be asked by any worker. */

import { type FakeProvider, startFakeProvider } from '../../../core/src/testing/models/fake-provider.ts';
import { statusReply, textReply, toolCallReply } from '../../../core/src/testing/models/provider-replies.ts';
import { type FileTree, samplePackage, step } from '../../../core/src/testing/packages/sample-package.ts';

const nameOf = (index: number): string => `step-${String(index + 1).padStart(2, '0')}`;

export function chainPackage(length: number): FileTree {
  const names = Array.from({ length }, (_, index) => nameOf(index));
  return samplePackage(
    ({ graph }) => {
      graph.entryNodeId = 'step-01';
      graph.nodes = [
        ...names.map((id) => ({ id, type: 'step', file: `steps/${id}.md`, outputs: [`out/${id}.md`] })),
        { id: 'end-99', type: 'end', file: 'steps/end-99.md' },
      ];
      graph.edges = names.map((from, index) => ({ from, to: names[index + 1] ?? 'end-99', label: 'next' }));
    },
    Object.fromEntries(
      names.map((id, index) => [
        `steps/${id}.md`,
        `${step(id)}\nWrite out/${id}.md, then go to ${names[index + 1] ?? 'end-99'}.\n`,
      ]),
    ),
  );
}

export interface ChainModelOptions {
  /** Before each reply. */
  readonly delayMs?: number;
  /** The first request is refused, with the request to wait. */
  readonly retryAfterSeconds?: number;
  /** The first request fails when this resolves. */
  readonly failsFirst?: Promise<void>;
}

export interface ChainModel extends FakeProvider {
  /** Most requests under way at the same time. */
  mostAtOnce(): number;
}

export async function startChainModel({
  delayMs = 0,
  retryAfterSeconds,
  failsFirst,
}: ChainModelOptions = {}): Promise<ChainModel> {
  const count = { now: 0, most: 0 };
  const provider = await startFakeProvider(
    async ({ body }, index) => {
      if (index === 0 && retryAfterSeconds !== undefined)
        return statusReply(429, {}, { 'retry-after': String(retryAfterSeconds) });
      if (index === 0 && failsFirst) {
        await failsFirst;
        return statusReply(503, {});
      }
      count.most = Math.max(count.most, ++count.now);
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      count.now--;
      const text = JSON.stringify(body.messages);
      const [, node, next] =
        [...text.matchAll(/Write out\/(step-\d\d)\.md, then go to ([\w-]+)\./g)].at(-1) ?? [];
      if (node === undefined)
        return body.messages.some(({ role }) => role === 'tool')
          ? textReply('Done.')
          : toolCallReply([{ id: 'done', name: 'runtime_complete_node', arguments: { nodeId: 'end-99' } }]);
      const isWritten = body.messages.some(
        ({ role, content }) =>
          role === 'tool' && typeof content === 'string' && content.includes(`out/${node}.md`),
      );
      return isWritten
        ? toolCallReply([
            { id: `done_${node}`, name: 'runtime_complete_node', arguments: { nodeId: node, next } },
          ])
        : toolCallReply([
            {
              id: `write_${node}`,
              name: 'fs_write',
              arguments: { path: `@project/out/${node}.md`, content: `Text of ${node}.\n` },
            },
          ]);
    },
    { isStrict: false },
  );
  return { ...provider, mostAtOnce: () => count.most };
}
