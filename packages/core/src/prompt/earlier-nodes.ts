/**
 * What a model is still told of nodes it has left: one line each, what the person said, which way was taken and why.
 * Bounded, however often a loop is walked.
 */
export interface Visit {
  readonly nodeId: string;
  /** What the person said while the run was here. */
  readonly inputs: string[];
  readonly artifacts: Set<string>;
  readonly variables: Set<string>;
  way:
    | { readonly to: string; readonly label: string | undefined; readonly reason: string | undefined }
    | undefined;
}

export function createVisit(nodeId: string): Visit {
  return { nodeId, inputs: [], artifacts: new Set(), variables: new Set(), way: undefined };
}

const MAX_VISITS = 40;
const MAX_INPUT_CHARS = 4_000;

/** Adds a visit that is over. Of very old ones only what the person said is kept. */
export function addVisit(visits: Visit[], visit: Visit): void {
  visits.push(visit);
  if (visits.length <= MAX_VISITS) return;
  const [oldest, next] = visits.splice(0, 2);
  if (!oldest || !next) return;
  visits.unshift({ ...next, inputs: [...oldest.inputs, ...next.inputs].slice(-MAX_VISITS) });
}

/** Undefined before the first node was left. */
export function toEarlierNodes(visits: readonly Visit[]): string | undefined {
  if (visits.length === 0) return undefined;
  return ['EARLIER_NODES', ...visits.flatMap(toLines)].join('\n');
}

function toLines({ nodeId, inputs, artifacts, variables, way }: Visit): string[] {
  const facts = [
    ...(artifacts.size > 0 ? [`wrote ${[...artifacts].join(', ')}`] : []),
    ...(variables.size > 0 ? [`set ${[...variables].join(', ')}`] : []),
    ...(way ? [`went to ${way.to}${way.label ? ` (${way.label})` : ''}`] : []),
  ];
  return [
    `- ${nodeId}: ${facts.join('; ') || 'no outcome'}${way?.reason ? `; reason: ${oneLine(way.reason)}` : ''}`,
    ...inputs.map((text) => `  - the person said: ${JSON.stringify(shorten(text))}`),
  ];
}

function shorten(text: string): string {
  return text.length > MAX_INPUT_CHARS ? `${text.slice(0, MAX_INPUT_CHARS)}… (shortened)` : text;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
