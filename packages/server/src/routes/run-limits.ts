/** Limits as they come over the wire, as a run is made with them: what was left out stays as the settings have it. */
import type { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import type { RunLimits } from '@crewagent/protocol/settings';
import type * as z from '@crewagent/protocol/zod';

type GivenLimits = z.output<typeof ENDPOINTS.runs.create.body>['limits'];

export function toLimits({ maxTurns, ...limits }: NonNullable<GivenLimits> = {}): Partial<RunLimits> {
  return { ...limits, ...(maxTurns === undefined ? {} : { maxTurns }) };
}
