/**
 * A chain of steps that each append a line to a file, so that a step that had its effect twice shows, and a last one that all Works of a
 * project write differently. The model is over HTTP and replies by what it is sent alone. The name of the model is the name of the Work.
 */
import type { ReceivedBody } from '../../../../core/src/testing/models/fake-provider.ts';
import { startFakeProvider } from '../../../../core/src/testing/models/fake-provider.ts';
import { textReply, toolCallReply } from '../../../../core/src/testing/models/provider-replies.ts';
import { type FileTree, samplePackage, step } from '../../../../core/src/testing/packages/sample-package.ts';

const SHARED = 'shared-00';

export function appendPackage(length: number): FileTree {
  const names = [
    ...Array.from({ length }, (_, index) => `step-${String(index + 1).padStart(2, '0')}`),
    SHARED,
  ];
  return samplePackage(
    ({ graph }) => {
      graph.entryNodeId = 'step-01';
      graph.nodes = [
        ...names.map((id) => ({ id, type: 'step', file: `steps/${id}.md` })),
        { id: 'end-99', type: 'end', file: 'steps/end-99.md' },
      ];
      graph.edges = names.map((from, index) => ({ from, to: names[index + 1] ?? 'end-99', label: 'next' }));
    },
    Object.fromEntries(
      names.map((id, index) => [
        `steps/${id}.md`,
        `${step(id)}\nNote ${id}, then go to ${names[index + 1] ?? 'end-99'}.\n`,
      ]),
    ),
  );
}

export const sharedFile = (name: string): string => `Written by ${name}.\n`;

export interface Asked {
  /** Of the Work. */
  readonly name: string;
  /** The call that is replied. */
  readonly callId: string;
}

/** `onAsked` is called with each request before it is replied. */
export async function startAppendModel(delayMs: number, onAsked: (asked: Asked) => void = () => undefined) {
  return startFakeProvider(
    async ({ body }) => {
      const call = nextCall(body);
      onAsked({ name: body.model, callId: call?.id ?? 'text' });
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      return call ? toolCallReply([call]) : textReply('Done.');
    },
    { isStrict: false, keepsRequests: false },
  );
}

/** The next call of a careful model: one that was interrupted is repeated only if it had no effect. */
function nextCall({ model: name, messages }: ReceivedBody) {
  const [, node = 'end-99', next] =
    [...JSON.stringify(messages).matchAll(/Note ([a-z]+-\d\d), then go to ([\w-]+)\./g)].at(-1) ?? [];
  const results = messages.flatMap((message) =>
    message.role === 'tool' && message.tool_call_id.includes(`_${node}_`) ? [message] : [],
  );
  const last = results.at(-1);
  const [kind = 'none'] = last?.tool_call_id.split('_') ?? [];
  const isInterrupted = last?.content.includes('ENGINE_ABORTED') ?? false;
  const toId = (of: string): string => `${of}_${node}_${results.length}`;
  const look = () => ({ id: toId('look'), name: 'fs_read', arguments: { path: pathOf(name, node) } });
  const note = () => ({ id: toId('note'), ...toNote(name, node) });
  const done = () => ({
    id: toId('done'),
    name: 'runtime_complete_node',
    arguments: { nodeId: node, next },
  });
  if (next === undefined) return kind === 'done' && !isInterrupted ? undefined : done();
  if (kind === 'none') return note();
  if (kind === 'note') return isInterrupted ? look() : done();
  if (kind === 'look') {
    if (isInterrupted) return look();
    return last?.content.includes(node === SHARED ? sharedFile(name).trim() : node) ? done() : note();
  }
  return done();
}

function pathOf(name: string, node: string): string {
  return node === SHARED ? '@project/shared.md' : `@project/log/${name}.md`;
}

function toNote(name: string, node: string) {
  const path = pathOf(name, node);
  if (node === SHARED) return { name: 'fs_write', arguments: { path, content: sharedFile(name) } };
  const content = `# ${name}\n\n## Log\n\nstep-01\n`;
  if (node === 'step-01') return { name: 'fs_write', arguments: { path, content } };
  const patch = { operation: 'section', heading: '## Log', content: node, mode: 'append' };
  return { name: 'fs_apply_patch', arguments: { path, patches: [patch] } };
}
