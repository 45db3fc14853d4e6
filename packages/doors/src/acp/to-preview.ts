/** What a call changes, as content of a tool call: diffs where an editor shows them exactly, else a text. Pure. */
import { join } from 'node:path';
import type { ToolCallContent } from '@agentclientprotocol/sdk';
import { toReadableJson } from '@crewagent/protocol/json-text';
import { toVisibleText } from '@crewagent/protocol/visible-text';
import { toDiffs } from './to-diffs.ts';

/** Absolute path of a file of the project; undefined for other files. */
export type ToPath = (mountPath: string) => string | undefined;

interface Preview {
  readonly kind: 'diff' | 'json';
  readonly text: string;
}

interface NewFile {
  readonly kind: 'new';
  readonly path: string;
  readonly text: string;
}

export function toPreviewContent(preview: Preview | NewFile, toPath: ToPath): ToolCallContent[] {
  if (preview.kind === 'new') {
    const path = toPath(preview.path);
    return path === undefined
      ? [toBlock(preview.text, '')]
      : [{ type: 'diff', path, oldText: null, newText: preview.text }];
  }
  if (preview.kind === 'json') return [toBlock(toReadableJson(preview.text), 'json')];
  const parts = toDiffs(preview.text)?.map(({ path, oldText, newText }) => ({
    type: 'diff' as const,
    path: toPath(path) ?? '',
    oldText,
    newText,
  }));
  return parts?.every(({ path }) => path !== '') ? parts : [toBlock(preview.text, 'diff')];
}

export function toTextContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

/** Every character is visible, and the text cannot end its block. */
function toBlock(text: string, language: string): ToolCallContent {
  let fence = '```';
  while (text.includes(fence)) fence += '`';
  return toTextContent(`${fence}${language}\n${toVisibleText(text.replaceAll('\r\n', '\n'))}\n${fence}`);
}

const PROJECT = '@project/';

/**. */
export function toProjectPath(projectPath: string): ToPath {
  return (path) => {
    if (path === '@project') return projectPath;
    if (path.startsWith(PROJECT)) return join(projectPath, ...path.slice(PROJECT.length).split('/'));
    return undefined;
  };
}
