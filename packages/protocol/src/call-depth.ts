/**
 * How deep workflows may call workflows: a root may have this many calls below it.
 */
export const MAX_CALL_DEPTH = 8;
