/** Runs that move as files: a package of forty nodes, a provider over HTTP that plays it, and stores with profiles of their own. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bundle } from '@crewagent/protocol/bundle';
import type { RunEvent } from '@crewagent/protocol/events';
import type { TransferredWork } from '@crewagent/protocol/transfer';
import { onTestFinished } from 'vitest';
import { replaceFile } from '../../base/durable-files.ts';
import { sha256Of } from '../../base/sha256.ts';
import type { OpenedBundle } from '../../bundle/open-bundle.ts';
import { openZip } from '../../bundle/read-zip.ts';
import { writeZip } from '../../bundle/write-zip.ts';
import { createReader } from '../../rehearse/models/reader.ts';
import { showWork } from '../../session/show-work.ts';
import { resolveWork } from '../../store/find-works.ts';
import { sealLine } from '../../store/log-chain.ts';
import type { RunAddress } from '../../store/work-address.ts';
import { readTree } from '../file-tree.ts';
import { startFakeProvider } from '../models/fake-provider.ts';
import { toolCallReply } from '../models/provider-replies.ts';
import { type NestedNode, nestedPackage } from '../packages/nested-package.ts';
import { createRuntimeRig, type RuntimeRig } from './runtime-rig.ts';

/** 34 nodes of the root, two of which call a workflow of three. */
export function fortyNodes() {
  const nodes: Record<string, NestedNode> = {};
  for (let at = 1; at <= 34; at++)
    nodes[`n${String(at).padStart(2, '0')}`] =
      at === 10 || at === 25
        ? { calls: 'inner/workflow.md', more: 'passContext: true\n' }
        : at % 4 === 0
          ? { outputs: [`artifacts/n${at}.md`], more: `produces:\n  - path: "artifacts/n${at}.md"\n` }
          : {};
  const inner = { nodes: { one: {}, two: { outputs: ['artifacts/inner.md'] }, three: {} } };
  return nestedPackage({ '': { nodes }, inner });
}

/** A store of a person: a profile of its own, whose model plays the package from what a model sees. */
export async function createPlayer(name: string) {
  const reader = createReader('literal');
  const provider = await startFakeProvider(async ({ body: { messages, tools = [] } }) => {
    const outcome = await reader.chat(
      { messages, tools },
      { signal: new AbortController().signal, onProgress: () => undefined },
    );
    if (outcome.kind !== 'reply') throw new Error('a reader replies');
    const { content, toolCalls } = outcome.reply;
    return toolCallReply(
      toolCalls.map((call) => ({ name: call.name, arguments: call.arguments })),
      { text: content ?? '' },
    );
  });
  onTestFinished(() => provider.close());
  const now = (): Date => new Date('2026-01-31T09:30:00.000Z');
  const rig = await createRuntimeRig({}, { now });
  await rig.runtime.store.settings.update({
    defaultModel: name,
    models: { [name]: { provider: 'generic', baseUrl: provider.url, model: `${name}-model` } },
    limits: { maxTurns: 1_000 },
    tools: { approval: 'autopilot' },
  });
  return { ...rig, provider };
}

export const noPassphrase = (): Promise<string> => Promise.reject(new Error('it is not encrypted'));

export async function exportRun(rig: RuntimeRig, file: string, more: object = {}) {
  const bundles = await rig.runtime.bundles();
  const work = await resolveWork(rig.runtime.store, 'last');
  return bundles.export({ work, target: file, ...more });
}

export async function openFile(rig: RuntimeRig, file: string, passphrase?: string): Promise<OpenedBundle> {
  const ask = passphrase === undefined ? noPassphrase : () => Promise.resolve(passphrase);
  return (await rig.runtime.bundles()).open(file, ask);
}

/** Opens a file and stores its run in the rig's project. */
export async function adoptFile(rig: RuntimeRig, file: string) {
  const opened = await openFile(rig, file);
  try {
    return await (await rig.runtime.bundles()).adopt(opened, { chosen: { path: rig.project }, file });
  } finally {
    await opened.close();
  }
}

/** State, files and story of a run, without ids, addresses and where it was moved. */
export async function outcomeOf({ runtime, project }: RuntimeRig, workId: string) {
  const { works } = runtime.store;
  const address = (await works.find(workId)) as RunAddress;
  const all = [address, ...(await works.children(address))];
  const texts = await Promise.all(
    all.map(async (one) => (await works.openState(one).read()).text.replace(/(?<=runId: )"[^"]+"/, 'ID')),
  );
  const { view } = await showWork(runtime.store, address);
  const stories = [view.own, ...view.runs.values()].map(({ timeline, visits, phase }) => ({
    phase,
    visits: visits.map(({ nodeId }) => nodeId),
    items: timeline
      .filter((item) => JSON.stringify(item).includes('"moved') === false)
      .map((item) => item.kind),
  }));
  return { texts: texts.sort(), stories, files: await readTree(join(project, 'artifacts')) };
}

/** What a file says and has, to be changed by somebody who can compute every hash again. */
export interface OpenBundle {
  /** `bundle.json`; a text is written as it is. */
  bundle: unknown;
  readonly contents: Map<string, Buffer>;
}

export async function readBundle(file: string): Promise<OpenBundle & { readonly bundle: Bundle }> {
  const handle = await open(file);
  try {
    const zip = await openZip(handle);
    const contents = new Map<string, Buffer>();
    for (const name of zip.entries.keys())
      if (name !== 'bundle.json') contents.set(name.slice('contents/'.length), await zip.read(name));
    return { bundle: JSON.parse((await zip.read('bundle.json')).toString()) as Bundle, contents };
  } finally {
    await handle.close();
  }
}

/** With a valid digest; contents that the description does not name are left out. */
export async function writeBundle(file: string, { bundle, contents }: OpenBundle): Promise<void> {
  const description = typeof bundle === 'string' ? bundle : JSON.stringify(bundle);
  const sources = [
    { name: 'bundle.json', read: () => Promise.resolve(Buffer.from(description)) },
    ...[...contents.keys()]
      .filter((sha256) => description.includes(sha256))
      .sort()
      .map((sha256) => ({
        name: `contents/${sha256}`,
        read: () => Promise.resolve(contents.get(sha256) ?? Buffer.alloc(0)),
      })),
  ];
  await replaceFile(file, async (write) => {
    await writeZip(sources, write, () => undefined);
  });
}

export function addContent({ contents }: OpenBundle, content: string | Buffer): string {
  const bytes = Buffer.from(content);
  const sha256 = sha256Of(bytes);
  contents.set(sha256, bytes);
  return sha256;
}

/** The events of a Work, as they are in the file. */
export function eventsOf(open: OpenBundle, work: TransferredWork): Record<string, unknown>[] {
  const text = work.log.map((part) => open.contents.get(part)?.toString() ?? '').join('');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const { hash: _, ...event } = JSON.parse(line) as Record<string, unknown>;
      return event;
    });
}

/** With a chain that is valid again. */
export function setEvents(open: OpenBundle, work: TransferredWork, events: readonly object[]): void {
  let last = '';
  const lines = events.map((event) => {
    const { text, hash } = sealLine(event as RunEvent, last);
    last = hash;
    return text;
  });
  work.log = [addContent(open, lines.join(''))];
  work.lastSeq = events.length;
}
