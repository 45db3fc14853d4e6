/**
 * Summarises a document in one line, by its format. Pure.
 */
import type { DataFormat } from '@crewagent/protocol/commands';
import { countLines } from '../tools/files/text-window.ts';
import { summariseCsv } from './csv-summary.ts';
import { counted, type DataSummary, type DataText, summarized } from './data-summary.ts';
import { summariseJson } from './json-summary.ts';
import { summariseXml } from './xml-summary.ts';

export async function summariseData(format: DataFormat, data: DataText): Promise<DataSummary> {
  switch (format) {
    case 'json':
      return summariseJson(data);
    case 'yaml':
      // The full parser is large and rarely needed.
      return (await import('./yaml-summary.ts')).summariseYaml(data);
    case 'csv':
      return summariseCsv(data);
    case 'xml':
      return summariseXml(data);
    case 'text':
      return summarized(summariseText(data));
  }
}

export function summariseText({ text, isWhole }: DataText): string {
  return `${counted(countLines(text), 'line')}${isWhole ? '' : ' so far'}`;
}
