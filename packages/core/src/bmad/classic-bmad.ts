/**
 * Classic BMAD: workflows that are a workflow.yaml (or .xml) with instructions, without a graph. Told apart by name, and
 * described in one way wherever they are met.
 */
import { FORMAT_VERSION } from '@crewagent/protocol/format';

/** Whether a path that should lead to a workflow.md leads to a classic workflow. */
export function isClassicWorkflow(path: string): boolean {
  return /\.(?:ya?ml|xml)$/i.test(path);
}

/** The file that shows that a folder holds classic BMAD. */
export function findClassicFile(paths: Iterable<string>): string | undefined {
  return [...paths].find((path) => /(?:^|\/)(?:workflow|module)\.(?:ya?ml|xml)$|\.agent\.ya?ml$/i.test(path));
}

/** `what` begins the sentence: the file, or "this". */
export function describeClassic(what: string): { message: string; fix: string } {
  return {
    message: `${what} is a classic BMAD workflow (workflow.yaml and instructions), not a .bmad package of format ${FORMAT_VERSION}`,
    fix: 'Convert it first: "crewagent import DIR" makes a package of the module that holds it.',
  };
}
