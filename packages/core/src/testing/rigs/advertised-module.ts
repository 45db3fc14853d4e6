/**
 * Generates the text of `tools/advertised-parameters.ts` from the tools.
 */
import { systemToolPolicySchema } from '@crewagent/protocol/tools';
import * as z from '@crewagent/protocol/zod';
import { createMountedFs } from '../../mounts/mounted-fs.ts';
import { createSecretCheck } from '../../mounts/sensitive/secret-files.ts';
import { createBuiltinTools } from '../../tools/builtin-tools.ts';
import { mergePolicy } from '../../tools/tool-policy.ts';
import { createSampleGate } from './build-tool-rig.ts';

export function toAdvertisedModule(): string {
  const parameters = [false, true]
    .flatMap(toolsOf)
    .map((tool) => [tool.advertisedName, toParameters(tool.advertisedSchema())] as const);
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
  const onFact = (): void => undefined;
  return createBuiltinTools({
    files,
    isSecret,
    policy: mergePolicy(systemToolPolicySchema.parse({ strictState }), undefined),
    gate: createSampleGate(files),
    earlierNodes: { visited: () => [], titleOf: () => '' },
    menu: [{ index: 1, label: 'a', description: 'b', handlers: [] }],
    script: { path: () => undefined, end: onFact },
    recorder: { begin: () => Promise.reject(new Error('nothing is written here')) },
    now: () => new Date(0),
    onFact,
  });
}

const OMITTED_KEYWORDS =
  'minLength maxLength minItems maxItems propertyNames format minimum maximum additionalProperties'.split(
    ' ',
  );

/** The JSON Schema is part of every request, so keywords that do not help the model are omitted; the full schema is still enforced. */
function toParameters(schema: z.ZodMiniType): Record<string, unknown> {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, {
    io: 'input',
    override({ jsonSchema }) {
      for (const key of OMITTED_KEYWORDS) delete jsonSchema[key];
    },
  });
  return parameters;
}
