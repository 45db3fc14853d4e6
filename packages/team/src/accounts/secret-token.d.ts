export interface SecretToken {
  readonly token: string;
  readonly hash: Buffer;
}
/** 256 random bits. */
export declare function createSecret(prefix?: string): SecretToken;
/** Without a salt: what has 256 random bits cannot be guessed from its hash. */
export declare function hashSecret(token: string): Buffer;
