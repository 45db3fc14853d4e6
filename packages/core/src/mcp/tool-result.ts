/**
 * Converts the result of an MCP tool for the model: text and structured content up to a limit, everything else as files in
 * `@state/mcp` that the model can read in parts.
 */
import type { ToolResult } from '@crewagent/protocol/tools';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { maskIn, maskSecrets } from '../mounts/sensitive/hidden-values.ts';
import { failure } from '../tools/tool.ts';

/** Stores a file for a call. Resolves to its full mount path. */
export type Spill = (name: string, content: Uint8Array) => Promise<string>;

const INLINE_CHARS = 32_768;
const PREVIEW_CHARS = 8_192;
const MAX_FILES = 32;
const MAX_FAILURE_CHARS = 4_096;

export interface ResultOptions {
  readonly callId: string;
  readonly spill: Spill;
  /** Masks secrets in a text. */
  hide(text: string): string;
}

export async function toToolResult(answer: CallToolResult, options: ResultOptions): Promise<ToolResult> {
  const { hide } = options;
  const content = Array.isArray(answer.content) ? answer.content : [];
  // Before a long result goes to a file, which is stored.
  const text = maskSecrets(hide(content.flatMap(textOf).join('\n')));
  if (answer.isError)
    return failure(
      'MCP_TOOL_FAILED',
      text.slice(0, MAX_FAILURE_CHARS) || 'The tool failed without a reason.',
    );
  const links = content.flatMap(linkOf);
  const files = await saveFiles(content, options);
  return {
    ok: true,
    ...(text || !answer.structuredContent ? await toText('text', text, options) : {}),
    ...(answer.structuredContent ? await toStructured(answer.structuredContent, options) : {}),
    ...(links.length > 0 ? { links } : {}),
    ...(files.length > 0 ? { files } : {}),
  };
}

function textOf(block: ContentBlock): string[] {
  if (block.type === 'text') return [block.text];
  return block.type === 'resource' && 'text' in block.resource ? [block.resource.text] : [];
}

function linkOf(block: ContentBlock): { uri: string; name: string }[] {
  return block.type === 'resource_link' ? [{ uri: block.uri, name: block.name }] : [];
}

type Fields = Readonly<Record<string, unknown>>;

async function toText(field: string, text: string, { callId, spill }: ResultOptions): Promise<Fields> {
  if (text.length <= INLINE_CHARS) return { [field]: text };
  const path = await spill(`${callId}-${field}.txt`, Buffer.from(text));
  return {
    truncated: true,
    [`${field}Preview`]: text.slice(0, PREVIEW_CHARS),
    [`${field}Path`]: path,
    hint: `The result has ${text.length} characters. Read the rest with fs.read from ${path}, in parts with startLine and endLine.`,
  };
}

async function toStructured(structured: unknown, options: ResultOptions): Promise<Fields> {
  const json = options.hide(JSON.stringify(maskIn(structured)));
  return json.length <= INLINE_CHARS
    ? { structured: JSON.parse(json) as unknown }
    : toText('structured', JSON.stringify(JSON.parse(json), undefined, 1), options);
}

async function saveFiles(
  content: readonly ContentBlock[],
  { callId, spill }: ResultOptions,
): Promise<Fields[]> {
  const files: Fields[] = [];
  for (const [index, block] of content.entries()) {
    const binary = binaryOf(block);
    if (!binary || files.length >= MAX_FILES) continue;
    const bytes = Buffer.from(binary.base64, 'base64');
    const path = await spill(`${callId}-${index}.${extensionOf(binary.mimeType)}`, bytes);
    files.push({ path, mimeType: binary.mimeType, bytes: bytes.length });
  }
  return files;
}

function binaryOf(block: ContentBlock): { readonly base64: string; readonly mimeType: string } | undefined {
  if (block.type === 'image' || block.type === 'audio')
    return { base64: block.data, mimeType: block.mimeType };
  if (block.type !== 'resource' || !('blob' in block.resource)) return undefined;
  return { base64: block.resource.blob, mimeType: block.resource.mimeType ?? 'application/octet-stream' };
}

function extensionOf(mimeType: string): string {
  return /^[a-z]+\/([a-z0-9]{1,8})$/.exec(mimeType)?.[1] ?? 'bin';
}
