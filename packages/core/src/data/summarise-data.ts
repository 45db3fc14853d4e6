/**
 * Summarises a document in one line, by its format. Of a document that is not whole, JSON and YAML are not parsed. Pure.
 */
import type { DataFormat } from '@crewagent/protocol/commands';
import { summariseCsv } from './csv-summary.ts';
import { type DataSummary, type DataText, describeLines, summarized } from './data-summary.ts';
import { summariseJson } from './json-summary.ts';
import { summariseXml } from './xml-summary.ts';

export async function summariseData(format: DataFormat, data: DataText): Promise<DataSummary> {
  const { text, isWhole } = data;
  switch (format) {
    case 'csv':
      return summariseCsv(data);
    case 'xml':
      return summariseXml(data);
    case 'json':
      if (isWhole) return summariseJson(text);
      break;
    case 'yaml':
      // The full parser is large and rarely needed.
      if (isWhole) return (await import('./yaml-summary.ts')).summariseYaml(text);
      break;
    case 'text':
  }
  return summarized(describeLines(data));
}
