/** Why some system cannot keep a name as it is, as the end of "the name …"; undefined when all can. */
export declare function segmentDanger(segment: string): string | undefined;
/**
 * Equal for names that some disk takes for one: other case, other Unicode form.
 * Upper then lower case, so that letters that only fold one way (ß, ſ, K) meet.
 */
export declare function foldName(name: string): string;
