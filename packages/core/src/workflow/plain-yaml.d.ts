type Fields = Record<string, unknown>;
/** The value of a plain YAML map, or undefined when the full parser must decide. */
export declare function parsePlainYaml(text: string): Fields | undefined;
