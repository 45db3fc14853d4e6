/**
 * What is forgiven before frontmatter meets its schema: absent collections are empty, empty dates are absent.
 * Pure; never changes what it is given.
 */
type Fields = Record<string, unknown>;
/** A copy in which every absent (or null) collection has its empty value. */
export declare function fillCollections(
  value: Fields,
  empty: Readonly<Record<string, unknown[] | Fields>>,
): Fields;
/** The state fields of a workflow.md, and the paths of dates that were written but left empty. */
export declare function normaliseWorkflowState(fields: Fields): {
  value: Fields;
  blankDates: PropertyKey[][];
};
