/** Decisions on several changes of one reply. Nothing is sent before every change is decided on. */
import type {
  ApprovalDecision,
  ApprovalReach,
  ApprovalResponse,
  FollowingDecision,
} from '@crewagent/protocol/approvals';
import { useState } from 'react';
import { type Preview, toSeen } from './preview.ts';

type RowDecision = FollowingDecision['decision'];
/** A decision is on what was shown: for another preview of the same call it does not count. */
type Decisions = ReadonlyMap<Preview, RowDecision>;

export interface ChangeDecisions {
  readonly of: (preview: Preview) => RowDecision | undefined;
  /** The same decision again takes it back. */
  readonly decide: (preview: Preview, decision: RowDecision) => void;
  readonly decideRest: (decision: RowDecision) => void;
  readonly allowForLonger: (decision: ApprovalDecision, reach: ApprovalReach) => void;
}

export function useChangeDecisions(
  previews: readonly Preview[],
  send: (toResponse: () => Promise<ApprovalResponse>) => void,
): ChangeDecisions {
  const [decisions, setDecisions] = useState<Decisions>(new Map());
  const submit = (all: Decisions): void =>
    send(() => toResponse(previews, (previews[0] && all.get(previews[0])) ?? 'no', all));
  return {
    of: (preview) => decisions.get(preview),
    decide: (preview, decision) => {
      const next = new Map(decisions);
      if (next.get(preview) === decision) next.delete(preview);
      else next.set(preview, decision);
      setDecisions(next);
      if (previews.every((one) => next.has(one))) submit(next);
    },
    decideRest: (decision) =>
      submit(new Map(previews.map((preview) => [preview, decisions.get(preview) ?? decision]))),
    allowForLonger: (decision, reach) =>
      send(async () => ({ ...(await toResponse(previews, decision, new Map())), reach })),
  };
}

/** The first change is the one that is asked for; the others are decided on ahead. */
async function toResponse(
  [first, ...others]: readonly Preview[],
  decision: ApprovalDecision,
  all: Decisions,
): Promise<ApprovalResponse> {
  const seenOf = async (preview: Preview | undefined, said: ApprovalDecision) =>
    preview && said !== 'no' ? await toSeen(preview) : {};
  const following = others.map(async (preview): Promise<FollowingDecision[]> => {
    const said = all.get(preview);
    return said === undefined
      ? []
      : [{ callId: preview.callId, decision: said, ...(await seenOf(preview, said)) }];
  });
  return {
    decision,
    ...(await seenOf(first, decision)),
    following: (await Promise.all(following)).flat(),
  };
}
