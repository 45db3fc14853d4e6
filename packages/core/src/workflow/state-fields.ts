/**
 * Fields of a state document that a patch may change, by kind.
 */
export const LISTS = ['stepsCompleted', 'decisionLog', 'artifacts', 'inputDocuments'] as const;
export const SCALARS = ['currentNodeId', 'updatedAt'] as const;
