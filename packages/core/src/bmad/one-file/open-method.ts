/** A method with the files beside it, as the files of a package in the full form. */
import { METHOD_FILE } from '../../base/method-file.ts';
import type { PackageFiles } from '../archive/package-files.ts';
import { readText } from '../check/read-document.ts';
import type { Findings } from '../findings/findings.ts';
import { expandMethod } from './expand-method.ts';

const MISSING: ReadonlySet<string> = new Set(['PROOF_FILE_UNREADABLE', 'REFERENCE_MISSING']);
const BESIDE =
  'Put the file beside the method and name their folder: a path to a Markdown file is that file alone.';

/** What to do about findings of the full form, in the words of a method. */
const FIXES: Readonly<Record<string, string>> = {
  DECISION_WITHOUT_DEFAULT: 'Write "(otherwise)" at the end of one of its choices.',
  SEVERAL_DEFAULTS: 'Keep "(otherwise)" at one of them.',
  DECISION_WITHOUT_CHOICE: 'List at least two choices: "- label → Heading".',
  NODE_UNREACHABLE: 'Write "→" and its heading in a step that leads to it, or remove it.',
  CYCLE_WITHOUT_EXIT: 'Write "→" and the heading of a step outside in one of them.',
  NO_END_REACHABLE: 'Write "End." in the last step.',
};

/** `name`: of the file, in findings, which are listed with lines of the method. Undefined, with findings, if it cannot be expanded. */
export async function openMethod(
  files: PackageFiles,
  name: string,
  findings: Findings,
): Promise<PackageFiles | undefined> {
  findings.setSource((found) => (found.file === METHOD_FILE ? { ...found, file: name } : found));
  const text = await readText(files, METHOD_FILE, findings);
  const method = text === undefined ? undefined : expandMethod(text, METHOD_FILE, findings);
  if (!method) return undefined;
  // The author's own says more than a title.
  if (files.paths.has('about.json')) method.files.delete('about.json');
  for (const file of method.files.keys())
    if (files.paths.has(file) || files.paths.has(file.replace(/\/.*/, '')))
      findings.add('ENTRY_CLASH', {
        file,
        message: `this file is beside ${METHOD_FILE}, which stands for it`,
        fix: `Remove it, or remove ${METHOD_FILE} and write a bmad.json.`,
      });
  if (findings.hasErrors) {
    // What is wrong in the method is reported alone: the rest would repeat it in other words.
    return undefined;
  }
  findings.setSource((found) => {
    if (found.file === METHOD_FILE) return { ...found, file: name };
    if (!method.files.has(found.file)) return found;
    const isBeside = files.paths.size === 1 && MISSING.has(found.code);
    const fix = isBeside ? BESIDE : (FIXES[found.code] ?? found.fix);
    return { ...found, fix, file: name, pointer: undefined, line: method.lineOf(found) };
  });
  const paths = new Set([...files.paths, ...method.files.keys()]);
  paths.delete(METHOD_FILE);
  return {
    paths,
    read: (path) => {
      const content = method.files.get(path);
      return content === undefined ? files.read(path) : Promise.resolve(Buffer.from(content));
    },
  };
}
