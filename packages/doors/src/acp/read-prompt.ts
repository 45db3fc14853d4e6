/**
 * A prompt of the editor as a message: text, files of the project by their mount path, pictures and other files as attachments.
 * Paths of this machine do not get into the message.
 */
import { isAbsolute, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ContentBlock, EmbeddedResource } from '@agentclientprotocol/sdk';
import type { ProjectFiles } from '@crewagent/core';
import type { Say } from './texts.ts';

export interface PromptReader {
  readonly projectPath: string;
  readonly say: Say;
  /** Whether the name is that of a file with secrets, whose text is not sent. */
  isSecret(path: string): boolean;
  withFiles<Result>(use: (files: ProjectFiles) => Promise<Result>): Promise<Result>;
}

export async function readPrompt(blocks: readonly ContentBlock[], reader: PromptReader): Promise<string> {
  const parts: string[] = [];
  for (const block of blocks) {
    const part = await readBlock(block, reader);
    if (part !== '') parts.push(part);
  }
  return parts.join(' ').trim();
}

async function readBlock(block: ContentBlock, reader: PromptReader): Promise<string> {
  switch (block.type) {
    case 'text':
      return withoutPaths(block.text, reader.projectPath);
    case 'image': {
      const name = `picture.${/^image\/(\w+)/.exec(block.mimeType)?.[1] ?? 'png'}`;
      return attach(name, Buffer.from(block.data, 'base64'), reader);
    }
    case 'audio':
      return attach('audio.wav', Buffer.from(block.data, 'base64'), reader);
    case 'resource_link':
      return toMention(block.uri, reader) ?? outside(block.name, reader);
    case 'resource':
      return readResource(block.resource, reader);
  }
}

/** The text that the editor has may be newer than the file, or a part of it. */
async function readResource(resource: EmbeddedResource['resource'], reader: PromptReader): Promise<string> {
  const { uri } = resource;
  const mention = toMention(uri, reader);
  const name = nameOf(uri);
  if (!('text' in resource)) return attach(name, Buffer.from(resource.blob, 'base64'), reader);
  const path = mention ?? outside(name, reader);
  if (reader.isSecret(mention ? mention.slice(1, -1) : name)) return path;
  const text = withoutPaths(resource.text, reader.projectPath);
  let fence = '```';
  while (text.includes(fence)) fence += '`';
  return `\n\n${reader.say('unsaved', { path })}\n${fence}\n${text}\n${fence}\n\n`;
}

function outside(name: string, { say }: PromptReader): string {
  return say('outside', { name: nameOf(name) });
}

async function attach(name: string, bytes: Uint8Array, { withFiles }: PromptReader): Promise<string> {
  const { path } = await withFiles((files) => files.attach(name, bytes));
  return `\`${path}\``;
}

/** A file of the project, as messages mention it; undefined for everything else. */
function toMention(uri: string, { projectPath }: PromptReader): string | undefined {
  const path = toFilePath(uri);
  const inside = path === undefined ? undefined : relative(projectPath, path);
  if (inside === undefined || inside.startsWith('..') || isAbsolute(inside)) return undefined;
  return inside === '' ? '`@project`' : `\`@project/${inside.split(sep).join('/').replaceAll('`', '')}\``;
}

function toFilePath(uri: string): string | undefined {
  if (isAbsolute(uri)) return uri;
  try {
    const { protocol } = new URL(uri);
    // A line or a selection stands behind a "#".
    return protocol === 'file:' ? fileURLToPath(uri.replace(/[?#].*$/, '')) : undefined;
  } catch {
    return undefined;
  }
}

function nameOf(uri: string): string {
  return uri.replace(/[?#].*$/, '').replace(/^.*[/\\]/s, '') || 'file';
}

function withoutPaths(text: string, projectPath: string): string {
  return text.replaceAll(`file://${projectPath}`, '@project').replaceAll(projectPath, '@project');
}
