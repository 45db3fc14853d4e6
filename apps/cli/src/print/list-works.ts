/**
 * Lists Works, as JSON or as a table: one row with id, status, project and age for each, and what is specific to runs or to
 * conversations between them. Code that describes Works is loaded only if there are some.
 */
import { type ListedWork, type Store, toStored } from '@crewagent/core';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { print, sanitize } from '../terminal.ts';
import type { PhaseLabel } from './describe-work.ts';
import type { Row } from './table.ts';

export interface WorkList<Listed extends ListedWork> {
  readonly isJson: boolean;
  /** The name of the id in the JSON output. */
  readonly idName: 'runId' | 'conversationId';
  /** Printed if there are no Works. */
  readonly empty: string;
  /** Maximum column widths. */
  readonly widest: readonly number[];
  /** Called once if rows are printed. */
  createDescriber(): Promise<(record: NonNullable<Listed['record']>) => RowTexts>;
}

export interface RowTexts {
  readonly status: PhaseLabel;
  /** Columns between the status and the project. */
  readonly cells: readonly string[];
  readonly suffix?: string;
}

export async function printWorks<Listed extends ListedWork>(
  { projects }: Store,
  works: readonly Listed[],
  { isJson, idName, empty, widest, createDescriber }: WorkList<Listed>,
): Promise<ExitCode> {
  if (isJson) {
    const listed = works.map(({ projectId, workId, record, problem }) => ({
      projectId,
      [idName]: workId,
      ...(record ? { record: toStored(record) } : { problem }),
    }));
    print(JSON.stringify(listed));
    return EXIT.ok;
  }
  if (works.length === 0) {
    print(empty);
    return EXIT.ok;
  }
  const [{ describeAge, shortId }, { toTable }, { say }] = await Promise.all([
    import('./describe-work.ts'),
    import('./table.ts'),
    import('./texts/say.ts'),
  ]);
  const names = new Map((await projects.list()).map(({ projectId, name }) => [projectId, name]));
  const describe = await createDescriber();
  const now = new Date();
  const rows = works.map(({ workId, projectId, record, problem = '' }): Row => {
    if (!record)
      return {
        cells: [shortId(workId), `✖ ${say('status.damaged')}`],
        styles: ['cyan', 'red'],
        suffix: sanitize(problem),
      };
    const { status, cells, ...others } = describe(record);
    return {
      cells: [
        shortId(workId),
        `${status.mark} ${status.label}`,
        ...cells,
        sanitize(names.get(projectId) ?? say('show.unknown'), 200),
        describeAge(record.updatedAt, now),
      ],
      styles: ['cyan', status.style, 'bold'],
      ...others,
    };
  });
  for (const line of toTable(rows, widest)) print(line);
  return EXIT.ok;
}
