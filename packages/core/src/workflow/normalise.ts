/**
 * Normalises frontmatter before validation: absent collections become empty, empty dates become absent. Pure; does not
 * modify its arguments.
 */
import { isObject } from '@crewagent/protocol/json-object';

type Fields = Record<string, unknown>;

/** Returns a copy in which absent or null collections have their empty value. */
export function fillCollections(value: Fields, empty: Readonly<Record<string, unknown[] | Fields>>): Fields {
  const filled = { ...value };
  for (const [key, collection] of Object.entries(empty)) filled[key] ??= collection;
  return filled;
}

/** State fields of a workflow.md, and the paths of empty dates. */
export function normaliseWorkflowState(fields: Fields): { value: Fields; blankDates: PropertyKey[][] } {
  const blankDates: PropertyKey[][] = [];
  const withoutBlank = (holder: Fields, key: string, path: PropertyKey[]): Fields => {
    if (holder[key] !== '' && holder[key] !== null) return holder;
    blankDates.push([...path, key]);
    const { [key]: _, ...without } = holder;
    return without;
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
      isObject(entry) ? withoutBlank(entry, 'decidedAt', ['decisionLog', index]) : entry,
    );
  }
  return { value, blankDates };
}
