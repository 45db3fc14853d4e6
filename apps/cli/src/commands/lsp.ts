/** `crewagent lsp` and `crewagent schemas`: package folders in an author's editor. */
import { join } from 'node:path';
import { writeSchemas } from '@crewagent/core';
import { serveLanguage } from '@crewagent/lsp';
import { VERSION } from '@crewagent/protocol/version';
import { validationContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { print, printDone, sanitize, style } from '../terminal.ts';
import { userLanguage } from '../user-language.ts';

export async function lsp(): Promise<ExitCode> {
  const { stdin: input, stdout: output } = hostProcess();
  const isOrderly = await serveLanguage({
    ...{ input, output, context: validationContext, version: VERSION },
    language: userLanguage(),
  });
  return isOrderly ? EXIT.ok : EXIT.failed;
}

export async function schemas(dir: string): Promise<void> {
  const files = await writeSchemas(dir);
  printDone(`${files.length} schemas in ${sanitize(dir)}`);
  for (const file of files) print(style('dim', `  ${sanitize(join(dir, file))}`));
  print('Name the schema in a file that does not: "$schema": "./.crewagent-schemas/bmad.schema.json"');
}
