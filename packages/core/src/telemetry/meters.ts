/** Metrics of a process since it started: cumulative sums and histograms by their labels. */
import type { Attributes, Metric, Point } from './otlp.ts';

export type Meters = ReturnType<typeof createMeters>;

export function createMeters() {
  const all: { readonly about: Omit<Metric, 'points'>; readonly points: Map<string, Point> }[] = [];
  const define = (about: Omit<Metric, 'points'>) => {
    const points = new Map<string, Point>();
    all.push({ about, points });
    return (value: number, attributes: Attributes): void => {
      const key = JSON.stringify(attributes);
      const known = points.get(key);
      // Labels come from names of tools and models, which others choose.
      if (!known && points.size >= MAX_POINTS) return;
      points.set(key, add(known, value, attributes, about.bounds ?? []));
    };
  };
  const tokens = define({
    name: 'gen_ai.client.token.usage',
    unit: '{token}',
    description: 'Tokens of a request.',
    bounds: Array.from({ length: 14 }, (_, power) => 4 ** power),
  });
  const duration = define({
    name: 'gen_ai.client.operation.duration',
    unit: 's',
    description: 'Duration of a request to a model.',
    bounds: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
  });
  const cost = define({
    name: 'crewagent.cost',
    unit: '{USD}',
    description: 'Cost of requests with known prices.',
  });
  const calls = define({
    name: 'crewagent.tool.calls',
    unit: '{call}',
    description: 'Tool calls that ended.',
  });
  const refusals = define({
    name: 'crewagent.refusals',
    unit: '{refusal}',
    description: 'Moves along the graph that were refused.',
  });
  const stops = define({
    name: 'crewagent.stops',
    unit: '{stop}',
    description: 'Runs that stopped, by phase.',
  });
  return {
    ...{ tokens, duration, cost },
    calls: (attributes: Attributes) => calls(1, attributes),
    refusals: (attributes: Attributes) => refusals(1, attributes),
    stops: (attributes: Attributes) => stops(1, attributes),
    read: (): readonly Metric[] =>
      all
        .filter(({ points }) => points.size > 0)
        .map(({ about, points }) => ({ ...about, points: [...points.values()] })),
  };
}

const MAX_POINTS = 500;

function add(
  known: Point | undefined,
  value: number,
  attributes: Attributes,
  bounds: readonly number[],
): Point {
  const at = bounds.findIndex((bound) => value <= bound);
  const bucket = at === -1 ? bounds.length : at;
  const buckets = known?.buckets ?? [...bounds, 0].map(() => 0);
  return {
    attributes,
    sum: (known?.sum ?? 0) + value,
    count: (known?.count ?? 0) + 1,
    min: Math.min(known?.min ?? value, value),
    max: Math.max(known?.max ?? value, value),
    buckets: buckets.map((count, index) => (index === bucket ? count + 1 : count)),
  };
}
