export declare function toToldModule(): string;
