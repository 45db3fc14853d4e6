import { describe, expect, it } from 'vitest';
import { lineOf, toAllowedNext, toFindings, withCurrentNode } from './state-document.ts';

const TEXT = `---
schemaVersion: "1.1"
currentNodeId: step-01
stepsCompleted: []
variables:
  projectName: Larder
  artifacts: no list
artifacts:
  - a.md
  - 7
---

# currentNodeId: not this one
`;

describe('a state document', () => {
  it.each([
    ['currentNodeId', 3],
    ['variables.projectName', 6],
    ['artifacts', 8],
    ['artifacts.1', 10],
    ['artifacts.9', 8],
    ['nowhere', 1],
  ])('[U70] has %s at line %i', (path, line) => {
    expect(lineOf(TEXT, path)).toBe(line);
  });

  it('[U70] shows findings of the gate at their lines', () => {
    const at = (message: string, code = 'E_INVALID_TRANSITION', details = {}): readonly number[] =>
      toFindings({ code, message, details }, TEXT).map(({ line }) => line);
    expect(at('cannot be read', 'E_INVALID_FRONTMATTER', { line: 5 })).toEqual([5]);
    expect(at('cannot be read', 'E_INVALID_FRONTMATTER', { line: 999 })).toEqual([14]);
    expect(
      at('does not fit', 'E_SCHEMA_VALIDATION', {
        fields: [{ path: 'schemaVersion', message: 'old' }, { path: 7 }],
      }),
    ).toEqual([2]);
    expect(at('is managed by the runtime', 'E_PRECONDITION_FAILED', { field: 'schemaVersion' })).toEqual([2]);
    expect(at('must stay', undefined, { field: 'stepsCompleted' })).toEqual([4]);
    expect(at('must stay', undefined, { field: 7 })).toEqual([3]);
    expect(at('No edge leads from "a" to "b".')).toEqual([3]);
    expect(at('The workflow is complete', 'STATE_CHANGE_REQUIRES_CONFIRMATION')).toEqual([]);
  });

  it('[U70] accepts only well-formed transitions from the gate', () => {
    const allowedNext = [{ to: 'a', label: 'next' }, { to: 1 }, null, 'b'];
    expect(toAllowedNext({ code: '', message: '', details: { allowedNext } })).toEqual([
      { to: 'a', label: 'next' },
    ]);
    expect(toAllowedNext({ code: '', message: '' })).toEqual([]);
  });

  it('[U70] is set to another node without changing anything else', () => {
    expect(withCurrentNode(TEXT, 'step-02')).toBe(
      TEXT.replace('currentNodeId: step-01', 'currentNodeId: step-02'),
    );
    expect(withCurrentNode('---\na: 1\n---\n', "$&: 'x'")).toBe(
      '---\ncurrentNodeId: "$&: \'x\'"\na: 1\n---\n',
    );
    expect(withCurrentNode('no frontmatter', 'a')).toBe('no frontmatter');
  });
});
