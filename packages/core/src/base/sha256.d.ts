export declare function sha256Of(bytes: Uint8Array): string;
