/** What a model is sent, or was sent: the share of every layer, then the texts. */
import type { ContextLayer, ShownPart, ShownRequest } from '@crewagent/protocol/api/shown-context';
import { print, sanitizeLines, style } from '../terminal.ts';
import { toTable } from './table.ts';
import { say } from './texts/say.ts';

export function printRequest({ tokens, parts }: ShownRequest, size: string): void {
  print('');
  printLayers(parts, tokens);
  print(style('dim', `  ${size}`));
  for (const part of parts) {
    print('');
    print(style('cyan', `── ${say(`request.layer.${part.layer}`)}${part.role ? ` (${part.role})` : ''} ──`));
    for (const line of sanitizeLines(toReadable(part))) print(line);
  }
}

/** The share of each layer. */
export function printLayers(parts: readonly Pick<ShownPart, 'layer' | 'tokens'>[], tokens: number): void {
  const sums = new Map<ContextLayer, number>();
  for (const { layer, tokens: own } of parts) sums.set(layer, (sums.get(layer) ?? 0) + own);
  const rows = [...sums].map(([layer, own]) => ({
    cells: [
      `  ${say(`request.layer.${layer}`)}`,
      `${own}`,
      `${Math.round((100 * own) / Math.max(tokens, 1))} %`,
    ],
    styles: ['bold' as const],
  }));
  for (const line of toTable(rows, [30, 8, 6])) print(line);
}

/** Tools are sent as JSON; here each is a line. */
function toReadable({ layer, text }: ShownPart): string {
  if (layer !== 'tools') return text;
  const tools = [JSON.parse(text) as SentTool | SentTool[]].flat();
  return tools
    .map(({ function: { name, description, parameters } }) => {
      const names = Object.keys(parameters.properties ?? {}).join(', ');
      return `${name}(${names}): ${description}`;
    })
    .join('\n');
}

interface SentTool {
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: { readonly properties?: Readonly<Record<string, unknown>> };
  };
}
