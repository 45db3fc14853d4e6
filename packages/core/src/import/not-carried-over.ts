/**
 * What the source has and the package has not, counted from the source, and a verdict for each workflow. Pure.
 */
import type { Evidence, ImportReport, LostPart, Verdict } from '@crewagent/protocol/import-report';
import { ONE_NODE } from './convert-text.ts';
import { UNCHECKED } from './steps/step-proof.ts';

type Report = Pick<ImportReport, 'constructs' | 'unresolved' | 'workflows' | 'findings'>;

const MAX_EXAMPLES = 10;

/** Construct of the report: a file of a kind that is not imported. */
export const OTHER_KIND = 'file of another kind';

export function toNotCarriedOver(
  { constructs, unresolved, workflows, findings }: Report,
  placeless: readonly Evidence[],
): LostPart[] {
  const dropped = (construct: string): ImportReport['constructs'] =>
    constructs.filter((entry) => entry.construct === construct && entry.certainty === 'dropped');
  const all = (construct: string): number =>
    constructs.filter((entry) => entry.construct === construct && entry.certainty !== 'inferred').length;
  const moves = workflows.flatMap(({ edges }) => edges);
  const isToken = ({ reference }: ImportReport['unresolved'][number]): boolean =>
    /^(?:\{\{|\$|!)/.test(reference) || (reference.startsWith('{') && !/\/|\.\w+$/.test(reference));
  const parts: [what: LostPart['what'], lost: readonly Evidence[], of?: number][] = [
    ['agents', dropped('agent'), all('agent')],
    ['menu-items', dropped('menu item'), all('menu item')],
    ['steps', dropped('step')],
    [
      'moves',
      moves
        .filter(({ certainty }) => certainty === 'dropped')
        .flatMap(({ evidence }) => evidence.slice(0, 1)),
      moves.length,
    ],
    ['tokens', unresolved.filter(isToken)],
    ['outputs', placeless],
    ['references', unresolved.filter((entry) => !isToken(entry))],
    ['prose', constructs.filter(({ message }) => message === ONE_NODE), workflows.length],
    ['kinds', dropped(OTHER_KIND)],
    ['files', findings],
  ];
  return parts.flatMap(([what, lost, of]) =>
    lost.length === 0
      ? []
      : [
          {
            what,
            count: lost.length,
            of: of || undefined,
            examples: lost.slice(0, MAX_EXAMPLES).map(toEvidence),
          },
        ],
  );
}

function toEvidence({ file, line, text }: Evidence): Evidence {
  return { file, line, text };
}

export function toVerdict(
  { id, edges }: ImportReport['workflows'][number],
  { constructs, unresolved }: Pick<ImportReport, 'constructs' | 'unresolved'>,
  files: ReadonlySet<string>,
): Verdict {
  const own = constructs.filter(({ workflow }) => workflow === id);
  const isLost =
    edges.some(({ certainty }) => certainty === 'dropped') ||
    own.some(({ certainty }) => certainty === 'dropped');
  if (isLost) return 'needs-work';
  const missing = unresolved.filter(({ file }) => files.has(file));
  const isInferred = edges.some(({ certainty }) => certainty === 'inferred');
  const isLoose = own.some(({ construct, message }) => construct === UNCHECKED || message === ONE_NODE);
  return isInferred || isLoose || missing.length > 0 ? 'usable' : 'faithful';
}
