/**
 * Opens what a model proposes for a file in the person's editor, and saves what the person made of it. The save is theirs: it is in
 * the history of the project's files and can be undone. Loaded only when somebody edits.
 */
import { spawn } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTempFolder, type ProjectFiles, sha256Of, withDiskErrors } from '@crewagent/core';
import type { DescribedAction } from '@crewagent/protocol/tools';
import { applyPatch } from 'diff';
import { hostProcess } from '../host-process.ts';
import { toShownName } from '../print/pending.ts';
import { say } from '../print/texts/say.ts';
import { printDone } from '../terminal.ts';
import { editorOf } from './can-edit.ts';

/** `unknown`: the proposed text could not be restored from the file and the diff. */
export type Edited = 'saved' | 'unchanged' | 'failed' | 'unknown';

export async function editChange(
  action: DescribedAction,
  { openFiles }: { openFiles(): Promise<ProjectFiles> },
): Promise<Edited> {
  const files = await openFiles();
  try {
    const proposal = await readProposal(action, files);
    if (!proposal) return 'unknown';
    const text = await editText(proposal.text, action.target);
    if (text === undefined) return 'failed';
    if (text === proposal.text) return 'unchanged';
    await files.save({ path: action.target, text, ifMatchSha256: proposal.before });
    printDone(say('edit.saved', { path: toShownName(action.target) }));
    return 'saved';
  } finally {
    await files.close();
  }
}

interface Proposal {
  readonly text: string;
  /** Hash of the file that the change is for; null if there is none. */
  readonly before: string | null;
}

/** The content that the file would have. Its hash is known: a text that differs, because of its encoding or a secret in it, is not used. */
async function readProposal(
  { target, files: [fact] = [], preview }: DescribedAction,
  files: ProjectFiles,
): Promise<Proposal | undefined> {
  const isNew = fact?.before.kind === 'absent';
  const current = isNew ? undefined : await files.read(target);
  if (current && !(current.isTooLarge === false && current.kind === 'text')) return undefined;
  const text = applyPatch(current?.text ?? '', preview.text);
  if (text === false || sha256Of(text) !== fact?.after.sha256) return undefined;
  return { text, before: current?.sha256 ?? null };
}

/** Undefined if the editor could not be started or ended with an error. */
async function editText(text: string, target: string): Promise<string | undefined> {
  const folder = await createTempFolder('crewagent-edit-');
  try {
    // The ending of the name tells the editor the language.
    const name = target.slice(target.lastIndexOf('/') + 1).replace(/[^\w.-]+/g, '_');
    const file = join(folder, name.replace(/^[.-]+/, '') || 'change.txt');
    await withDiskErrors(`Could not write "${file}"`, () => writeFile(file, text, { mode: 0o600 }));
    return (await runEditor(file)) ? await readFile(file, 'utf8') : undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Like git: the setting is a command line of the shell. */
function runEditor(file: string): Promise<boolean> {
  const host = hostProcess();
  const { env } = host;
  const editor = editorOf(env) ?? '';
  const stdio = host === process ? 'inherit' : 'ignore';
  const child =
    process.platform === 'win32'
      ? spawn(`${editor} "${file}"`, { shell: true, stdio, env })
      : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio, env });
  return new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 0));
  });
}
