/**
 * Tab completion for a line in a conversation: runtime commands, menu names, files.
 */
import type { MenuEntry } from '@crewagent/protocol/commands';
import type { SessionMode } from '@crewagent/protocol/conversation-state';
import { toColumns } from '../print/describe-menu.ts';
import { listCommands } from '../print/list-commands.ts';
import { fit } from '../print/text/cells.ts';
import { type Styler, sanitize } from '../terminal.ts';

export interface Completion {
  /** The part at the end of the line that a hit replaces. */
  readonly from: string;
  readonly hits: readonly Hit[];
}

interface Hit {
  readonly text: string;
  readonly help?: string;
}

export interface CompletionSources {
  readonly mode: SessionMode;
  readonly menu: readonly MenuEntry[];
  readonly mounts: readonly Mount[];
  /** Entries of a folder in a mount; folder names end in `/`. Empty if there is no such folder. */
  listFolder(mount: Mount, folder: string): Promise<readonly string[]>;
}

export type Mount = '@project' | '@pkg';

export async function complete(before: string, sources: CompletionSources): Promise<Completion> {
  if (/^\/\S*$/.test(before))
    return toCompletion(
      before,
      listCommands().map(({ name, help }) => ({ text: name, help })),
    );
  const [, mention] = /(?:^|\s)(@\S*)$/.exec(before) ?? [];
  if (mention !== undefined) return completeMention(mention, sources);
  if (sources.mode !== 'agent') return { from: before, hits: [] };
  return toCompletion(
    before.trimStart(),
    sources.menu
      .filter(({ label, description }) => label !== description || !label.includes(' '))
      .map(({ label, description }) => ({ text: label, help: description })),
  );
}

/** A path without a mount is in the project. */
async function completeMention(
  mention: string,
  { mounts, listFolder }: CompletionSources,
): Promise<Completion> {
  const mount = mounts.find((name) => mention.startsWith(`${name}/`));
  const path = mount ? mention.slice(mount.length + 1) : mention.slice(1);
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const names = await listFolder(mount ?? '@project', folder);
  const wanted = path.slice(folder.length).toLowerCase();
  const files = names
    .filter((name) => name.toLowerCase().startsWith(wanted))
    .map((name) => ({ text: `${mount ?? '@project'}/${folder}${name}` }));
  const named = mention.includes('/') ? [] : mounts.filter((name) => name.startsWith(mention));
  return { from: mention, hits: [...named.map((name) => ({ text: `${name}/` })), ...files] };
}

function toCompletion(from: string, all: readonly Hit[]): Completion {
  const wanted = from.toLowerCase();
  return { from, hits: all.filter(({ text }) => text.toLowerCase().startsWith(wanted)) };
}

/** One hit per line if hits have help texts, otherwise as many per line as fit. */
export function describeCompletion(
  { hits }: Completion,
  { style, width }: { readonly style: Styler; readonly width: number | undefined },
): string[] {
  if (hits.some(({ help }) => help !== undefined))
    return toColumns(
      hits.map(({ text, help = '' }) => ({ name: text, text: help })),
      { style, width },
    );
  const shown = hits.slice(0, MOST_SHOWN).map(({ text }) => sanitize(text, 200));
  const more = hits.length - shown.length;
  const widest = Math.max(0, ...shown.map((text) => text.length)) + 2;
  const columns = Math.max(1, Math.floor(((width ?? 80) - 2) / widest));
  const lines: string[] = [];
  for (let at = 0; at < shown.length; at += columns)
    lines.push(
      `  ${shown
        .slice(at, at + columns)
        .map((text) => fit(text, widest))
        .join('')}`.trimEnd(),
    );
  return more > 0 ? [...lines, style('dim', `  … ${more} more`)] : lines;
}

const MOST_SHOWN = 60;
