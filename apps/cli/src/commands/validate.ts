/** `crewagent validate`: checks packages and prints all problems, as text or JSON. */
import { inspectPackage, toReport } from '@crewagent/core';
import { validationContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { countDiagnostics, printDiagnostics } from '../print/print-diagnostics.ts';
import { printPackage } from '../print/print-package.ts';
import { say } from '../print/texts/say.ts';
import { print, printOutcome, sanitize, style } from '../terminal.ts';

export async function validate(paths: readonly string[], options: { json?: true }): Promise<ExitCode> {
  let exit: ExitCode = EXIT.ok;
  for (const [index, path] of paths.entries()) {
    const inspection = await inspectPackage(path, validationContext);
    const report = toReport(path, inspection.diagnostics, inspection.advice);
    if (!report.ok) exit = EXIT.usage;
    if (options.json) {
      print(JSON.stringify(report));
      continue;
    }
    if (index > 0) print();
    const loaded = inspection.package;
    const title = loaded
      ? `${style('bold', sanitize(loaded.manifest.name))} ${sanitize(loaded.manifest.version)}  ${style('dim', sanitize(path))}`
      : style('bold', sanitize(path));
    printOutcome(report.ok, title);
    if (loaded) printPackage(loaded);
    printDiagnostics([...inspection.diagnostics, ...inspection.advice], 'out');
    print(
      `  ${report.ok ? style('green', say('author.valid')) : style('red', say('author.notValid'))}: ${countDiagnostics(inspection.diagnostics)}`,
    );
  }
  return exit;
}
