/** What people of a team may do in a project; each role includes the ones before it. */
import * as z from './zod.ts';

export const ROLES = ['view', 'run', 'approve', 'manage'] as const;

export const roleSchema = z.enum(ROLES);
export type Role = z.infer<typeof roleSchema>;

export function includesRole(role: Role | undefined, needed: Role): boolean {
  return role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** The lesser of two roles. */
export function lesserRole(a: Role, b: Role): Role {
  return includesRole(a, b) ? b : a;
}
