/** How an error begins that a store cannot be opened. A file of its own: it is loaded before any compiled code. */

/** On a machine without a writable home folder a person has to choose another store. */
export function describeOpening(root: string): string {
  return `Could not open the store "${root}" (CREWAGENT_HOME names another one)`;
}
