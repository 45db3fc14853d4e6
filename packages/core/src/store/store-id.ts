/** Ids of projects, runs, conversations and changes. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a name has the format of an id. */
export function isStoreId(name: string): boolean {
  return ID.test(name);
}
