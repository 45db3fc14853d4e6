/**
 * What is forgiven before frontmatter meets its schema: absent collections are empty, empty dates are absent.
 * Pure; never changes what it is given.
 */
type Fields = Record<string, unknown>;

/** A copy in which every absent (or null) collection has its empty value. */
export function fillCollections(value: Fields, empty: Readonly<Record<string, unknown[] | Fields>>): Fields {
  const filled = { ...value };
  for (const [key, collection] of Object.entries(empty)) filled[key] ??= collection;
  return filled;
}

/** The state fields of a workflow.md, and the paths of dates that were written but left empty. */
export function normaliseWorkflowState(fields: Fields): { value: Fields; blankDates: PropertyKey[][] } {
  const blankDates: PropertyKey[][] = [];
  const withoutBlank = (holder: Fields, key: string, path: PropertyKey[]): Fields => {
    if (holder[key] !== '' && holder[key] !== null) return holder;
    blankDates.push([...path, key]);
    const { [key]: _, ...rest } = holder;
    return rest;
  };
  const known = fields.currentNodeId === null ? { ...fields, currentNodeId: '' } : fields;
  const value = fillCollections(withoutBlank(known, 'updatedAt', []), {
    stepsCompleted: [],
    decisionLog: [],
    artifacts: [],
    inputDocuments: [],
    callStack: [],
    variables: {},
  });
  if (Array.isArray(value.decisionLog)) {
    value.decisionLog = value.decisionLog.map((entry: unknown, index) =>
      isFields(entry) ? withoutBlank(entry, 'decidedAt', ['decisionLog', index]) : entry,
    );
  }
  return { value, blankDates };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
