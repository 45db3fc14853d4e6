/**
 * Generates the text of `tools/advertised-parameters.ts` from the tools.
 */
import { systemToolPolicySchema } from '@crewagent/protocol/tools';
import { STATE_DOCUMENT } from '../mounts/mount-path.ts';
import { createMountedFs } from '../mounts/mounted-fs.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import { openVersionedText } from '../mounts/versioned-text.ts';
import { createBuiltinTools } from '../tools/builtin-tools.ts';
import { createStateGate } from '../tools/state/state-gate.ts';
import { toParameters } from '../tools/tool-parameters.ts';
import { mergePolicy } from '../tools/tool-policy.ts';
import { SAMPLE_GRAPH as graph } from './sample-run.ts';

export function toAdvertisedModule(): string {
  const parameters = [false, true]
    .flatMap(toolsOf)
    .map((tool) => [tool.advertisedName, toParameters(tool.advertisedSchema)] as const);
  const lines = [...new Map(parameters)].map(([name, schema]) => `  '${name}': ${JSON.stringify(schema)},`);
  return `/**
 * The parameter schemas that models are sent for our tools' arguments. Written by \`npm run schemas\` from the schemas of the tools.
 */
export const ADVERTISED_PARAMETERS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
${lines.join('\n')}
};
`;
}

/** The tools are only inspected, never called, so no folders have to exist. */
function toolsOf(strictState: boolean) {
  const isSecret = createSecretCheck();
  const files = createMountedFs({ project: '', pkg: '', state: '' }, isSecret);
  const now = (): Date => new Date(0);
  const onFact = (): void => undefined;
  const gate = createStateGate({
    document: openVersionedText(files, STATE_DOCUMENT),
    files,
    graph,
    now,
    strictOutputs: false,
    hasConsent: () => false,
    wasMissingReported: () => false,
    resultsOf: () => ({ outputs: [], setsVariables: [] }),
    wasWritten: () => false,
    onFact,
  });
  const recorder = { begin: () => Promise.reject(new Error('nothing is written here')) };
  const policy = mergePolicy(systemToolPolicySchema.parse({ strictState }), undefined);
  const script = { path: () => undefined, end: onFact };
  const menu = [{ index: 1, label: 'a', description: 'b', handlers: [] }];
  const earlierNodes = { visited: () => [], titleOf: () => '' };
  return createBuiltinTools({
    files,
    isSecret,
    policy,
    gate,
    earlierNodes,
    menu,
    script,
    recorder,
    now,
    onFact,
  });
}
