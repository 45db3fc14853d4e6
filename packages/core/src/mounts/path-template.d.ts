/** The path with its template replaced; undefined for a template in front that is not known. Other braces are plain text. */
export declare function expandTemplate(path: string, artifactsDir: string): string | undefined;
