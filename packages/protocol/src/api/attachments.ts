/** Largest file that can be attached to a message. On its own: the page needs no schema to check it. */
export const MAX_ATTACHMENT_BYTES = 25 * 1024 * 1024;
