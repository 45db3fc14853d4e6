/**
 * Classic BMAD: workflows that consist of a workflow.yaml (or .xml) and instructions, without a graph. Recognised by file name,
 * and described the same way everywhere.
 */
import { FORMAT_VERSION } from '@crewagent/protocol/format';

/** Whether a path that should lead to a workflow.md leads to a classic workflow. */
export function isClassicWorkflow(path: string): boolean {
  return /\.(?:ya?ml|xml)$/i.test(path);
}

/** The file that identifies a folder as classic BMAD. */
export function findClassicFile(paths: Iterable<string>): string | undefined {
  return [...paths].find((path) => /(?:^|\/)(?:workflow|module)\.(?:ya?ml|xml)$|\.agent\.ya?ml$/i.test(path));
}

/** `what` is the subject of the sentence: the file, or "this". */
export function describeClassic(what: string): { message: string; fix: string } {
  return {
    message: `${what} is a classic BMAD workflow (workflow.yaml and instructions), not a .bmad package of format ${FORMAT_VERSION}`,
    fix: 'Convert it first: "crewagent import DIR" creates a package from its module.',
  };
}
