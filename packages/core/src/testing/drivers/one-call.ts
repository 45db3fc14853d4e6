/**
 * A process that executes one tool call on existing folders, and prints the result.
 */
import { join } from 'node:path';
import { systemToolPolicySchema } from '@crewagent/protocol/tools';
import { stagingName } from '../../base/staging.ts';
import { STATE_DOCUMENT } from '../../mounts/mount-path.ts';
import { createMountedFs } from '../../mounts/mounted-fs.ts';
import { createSecretCheck } from '../../mounts/sensitive/secret-files.ts';
import { openVersionedText } from '../../mounts/versioned-text.ts';
import { createBuiltinTools } from '../../tools/builtin-tools.ts';
import { createStateGate } from '../../tools/state/state-gate.ts';
import { createToolSource } from '../../tools/tool.ts';
import { createToolHost } from '../../tools/tool-host.ts';
import { mergePolicy } from '../../tools/tool-policy.ts';
import { SAMPLE_GRAPH } from '../sample-run.ts';

const [root = '', name = '', argumentsText = ''] = process.argv.slice(2);
const isSecret = createSecretCheck();
const files = createMountedFs(
  { project: join(root, 'project'), pkg: join(root, 'pkg'), state: join(root, 'run', 'state') },
  isSecret,
);
const policy = mergePolicy(systemToolPolicySchema.parse({}), undefined);
const now = (): Date => new Date();
const onFact = (): void => undefined;
const graph = SAMPLE_GRAPH;
const tools = createBuiltinTools({
  files,
  isSecret,
  policy,
  gate: createStateGate({
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
  }),
  recorder: {
    begin: async () => ({
      tempName: stagingName('writing'),
      done: async () => undefined,
      abandon: async () => undefined,
    }),
  },
  now,
  onFact,
});
const host = createToolHost({
  sources: [createToolSource(tools)],
  policy,
  monotonicMs: () => performance.now(),
  onFact,
  onBug: (_, error) => process.stderr.write(String(error)),
});
const outcome = await host.execute(
  { id: 'call-1', name, arguments: argumentsText },
  { signal: new AbortController().signal },
);
process.stdout.write(outcome.kind === 'done' ? outcome.content : JSON.stringify(outcome));
