/**
 * What a program changed in its view, from the end of a call to the project: free changes are committed at once, protected ones
 * wait for approval in the folder of the Work, with the result of the call, so that neither is lost nor the program run again.
 */
import { lstatSync, mkdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AskedChange, type HeldChanges, heldChangesSchema } from '@crewagent/protocol/held-changes';
import type { ToolFailure, ToolResult } from '@crewagent/protocol/tools';
import {
  CAN_SYNC_DISK,
  createFile,
  createFolders,
  replaceFile,
  syncDisk,
  syncFolder as syncFile,
} from '../../base/durable-files.ts';
import { ifPresent } from '../../base/errno.ts';
import { removeTree } from '../../base/remove-tree.ts';
import { stagingName } from '../../base/staging.ts';
import { toNewEntry } from '../../mounts/exact-entries.ts';
import { createMountedFs, type MountedFs } from '../../mounts/mounted-fs.ts';
import type { FindRunner } from '../../mounts/sensitive/runs-later.ts';
import type { IsSecret } from '../../mounts/sensitive/secret-files.ts';
import type { View, ViewChange } from '../../processes/view.ts';
import type { FileRights } from '../file-rights.ts';
import { answer } from '../tool.ts';
import type { EffectFacts, PreparedAction, ToolAnswer } from '../tool-source.ts';
import { addChanges, type ReportedChanges, toReport, withChanged } from './change-report.ts';
import { type Classified, classifyChanges } from './classify-changes.ts';
import { commitChanges, type EntryJournal } from './commit-changes.ts';
import { describeChanges } from './describe-changes.ts';

export interface ProgramChangesOptions {
  /** Private to the Work. */
  readonly folder: string;
  readonly files: MountedFs;
  readonly isSecret: IsSecret;
  readonly findRunner: FindRunner;
  readonly journal: EntryJournal;
}

export interface ProgramCall {
  readonly tool: string;
  readonly callId: string;
  readonly nodeId?: string | undefined;
  readonly isGitAllowed: boolean;
  /** The tool was offered as one that changes nothing, so it changes nothing. */
  readonly isReadOnly?: boolean;
  readonly effect: EffectFacts;
  readonly rights?: FileRights | undefined;
  /** The result of the call with what it changed. */
  toResult(changes: ReportedChanges): Promise<ToolResult>;
}

export type ProgramChanges = ReturnType<typeof createProgramChanges>;

export interface SettleOptions {
  isConflict(change: ViewChange): boolean;
  /** Only changes that are not known yet, of a view that stays open. */
  readonly changes?: readonly ViewChange[];
  /** Copies held entries, because the view stays open. */
  readonly staysOpen?: boolean;
  /** These changes were committed or dropped. */
  onSettled?(changes: readonly { readonly path: string }[]): void;
}

const HELD = 'held.json';

export function createProgramChanges(options: ProgramChangesOptions) {
  const { folder: root, files, isSecret, findRunner, journal } = options;
  /** Opened once: folders without held changes are of a process that died. */
  const held = readHeld(root);
  held.catch(() => undefined);

  const toAction = async (
    folder: string,
    record: HeldChanges,
    onSettled?: SettleOptions['onSettled'],
  ): Promise<ToolAnswer> => {
    const { tool, callId, nodeId, asked, result } = record;
    const contents = openContents(join(folder, 'upper'));
    const described = await describeChanges(tool, asked, { files, contents });
    const end = async (report: ReportedChanges): Promise<ToolResult> => {
      onSettled?.(asked);
      (await held).delete(callId);
      await removeTree(folder);
      return addChanges(result as ToolResult, report);
    };
    let effect = record.effect as EffectFacts;
    const prepared: PreparedAction = {
      action: described.action,
      files: described.files,
      get effect() {
        return effect;
      },
      isNoop: asked.length === 0,
      async commit() {
        const committed = await commitChanges(asked, { files, contents, journal, callId, nodeId });
        effect = withChanged(effect, committed);
        return end(toReport({ committed }));
      },
      async discard(denial: ToolFailure) {
        return end(toReport({ denied: toDenied(asked, denial) }));
      },
    };
    return { kind: 'action', prepared };
  };

  return {
    /** A private folder for a view. A file in it marks the time: entries that change later are changed by somebody else. */
    async createFolder(): Promise<{ readonly folder: string; readonly markedNs: bigint }> {
      await held;
      await createFolders(root);
      const folder = join(root, stagingName('view'));
      mkdirSync(folder, { mode: 0o700 });
      await createFile(join(folder, 'marker'), '');
      return { folder, markedNs: lstatSync(join(folder, 'marker'), { bigint: true }).ctimeNs };
    },

    /** Commits or holds what the view changed. Closes the view, unless it stays open for further calls. */
    async settle(view: View, call: ProgramCall, settling: SettleOptions): Promise<ToolAnswer> {
      const { isConflict, changes = view.changes(), staysOpen = false, onSettled } = settling;
      const { tool, callId, nodeId } = call;
      const contents = openContents(view.contents);
      const { isGitAllowed, isReadOnly = false, rights } = call;
      const rules = { isSecret, findRunner, isGitAllowed, isReadOnly, declared: await rights?.now() };
      const classified = await classifyChanges(changes, { files, contents, ...rules, isConflict });
      const free = classified.free.map(toCommit);
      const committed = await commitChanges(free, { files, contents, journal, callId, nodeId });
      onSettled?.(changes);
      const effect = withChanged(call.effect, committed);
      const result = await call.toResult(
        toReport({ committed, dropped: classified.dropped, refusedHosts: view.takeRefusedHosts() }),
      );
      if (classified.asked.length === 0) {
        if (!staysOpen) await view.close();
        return answer(result, effect);
      }
      const asked = classified.asked.map(toAsked);
      const record: HeldChanges = { v: 1, callId, nodeId, tool, result: { ...result }, effect, asked };
      const folder = staysOpen ? await copyEntries(root, view, asked) : view.folder;
      await syncEntries(join(folder, 'upper'), asked);
      await replaceFile(join(folder, HELD), JSON.stringify(heldChangesSchema.parse(record)));
      (await held).set(callId, { folder, record, onSettled });
      if (!staysOpen) await view.close({ keep: true });
      return toAction(folder, record, onSettled);
    },

    isHeld: async (callId: string) => (await held).has(callId),
    /** The action of a call that has run. Undefined if the call is not held. */
    async resume(callId: string): Promise<ToolAnswer | undefined> {
      const found = (await held).get(callId);
      return found && toAction(found.folder, found.record, found.onSettled);
    },
    /** Drops what other calls hold: they were answered otherwise. */
    async dropOthers(callId: string): Promise<void> {
      for (const [other, { folder }] of await held)
        if (other !== callId) {
          (await held).delete(other);
          await removeTree(folder);
        }
    },
  };
}

function toDenied(asked: readonly AskedChange[], { error }: ToolFailure) {
  return { paths: asked.filter(({ isFolder }) => !isFolder).map(({ path }) => path), why: error.message };
}

interface Held {
  readonly folder: string;
  readonly record: HeldChanges;
  readonly onSettled?: SettleOptions['onSettled'];
}

/** As many syncs as one of the disk costs. */
const FEW = 32;

/** Makes held entries durable. */
async function syncEntries(folder: string, asked: readonly AskedChange[]): Promise<void> {
  const written = asked.filter(({ isRemoved }) => !isRemoved);
  if (written.length > FEW && CAN_SYNC_DISK) return syncDisk(folder);
  for (const { path } of written)
    if (lstatSync(join(folder, path)).isFile()) await syncFile(join(folder, path));
}

/** Folders without held changes, or with a damaged record, are left over. */
async function readHeld(root: string): Promise<Map<string, Held>> {
  const held = new Map<string, Held>();
  for (const name of (await ifPresent(readdir(root))) ?? []) {
    const folder = join(root, name);
    const text = await ifPresent(readFile(join(folder, HELD), 'utf8')).catch(() => undefined);
    const record = text === undefined ? undefined : parseHeld(text);
    if (record) held.set(record.callId, { folder, record });
    else await removeTree(folder);
  }
  return held;
}

function parseHeld(text: string): HeldChanges | undefined {
  try {
    return heldChangesSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The entries of a view, as a project in which nothing is secret: each was judged by its path before. */
function openContents(folder: string): MountedFs {
  return createMountedFs({ project: folder, pkg: undefined, state: undefined }, () => false);
}

function toCommit({ path, change }: Classified) {
  return { path, isRemoved: change.after === undefined };
}

function toAsked({ path, change, runsLater }: Classified): AskedChange {
  const isFolder = (change.after ?? change.before)?.kind === 'folder';
  return { path, isRemoved: change.after === undefined, isFolder, runsLater };
}

/** For a view that stays open: what a person is shown must not change until it is decided. */
async function copyEntries(root: string, view: View, asked: readonly AskedChange[]): Promise<string> {
  const folder = join(root, stagingName('view'));
  mkdirSync(join(folder, 'upper'), { recursive: true, mode: 0o700 });
  const [from, to] = [openContents(view.contents), openContents(join(folder, 'upper'))];
  for (const { path, isRemoved } of asked) {
    if (isRemoved) continue;
    const target = { mount: '@project', segments: path.split('/') } as const;
    const entry = await from.exact.read(target, { maxBytes: 0 });
    const options = { tempName: stagingName('writing'), isSynced: false };
    if (entry?.kind === 'folder') await to.makeFolder(target);
    else if (entry && entry.kind !== 'special')
      await to.exact.put(target, toNewEntry(entry, from.exact.chunks(target)), options);
  }
  return folder;
}
